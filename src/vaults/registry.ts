import { z } from "@hono/zod-openapi";
import type { Context } from "../context.ts";
import { selectVault, selectVaults } from "../db/queries/vaults.ts";
import { failure } from "../errors.ts";
import type { VaultKey } from "../lib/vault-id.ts";
import { vaultTypes } from "../schemas/vault.ts";
import { toVault, type Vault } from "./vault.ts";

const Token = z.object({ address: z.string(), symbol: z.string(), decimals: z.int() });
/** What the registry looks like in the cache: database rows, dates left out. */
const CachedRows = z.array(
  z.object({
    chainId: z.int(),
    address: z.string(),
    type: z.enum(vaultTypes),
    adapter: z.string(),
    params: z.record(z.string(), z.string()),
    name: z.string(),
    assetAddress: z.string(),
    assetSymbol: z.string(),
    assetDecimals: z.int(),
    shareToken: z.string(),
    shareDecimals: z.int(),
    entryPoint: z.string(),
    spender: z.string(),
    pricer: z.string(),
    acceptedAssets: z.array(Token),
    caller: z.enum(["router", "user"]),
    curator: z.string(),
    status: z.enum(["active", "paused", "unsupported"]),
    statusReason: z.string(),
    minDeposit: z.string().nullable(),
    noMinimum: z.boolean(),
    startBlock: z.number().nullable(),
  }),
);

type Registry = { all: readonly Vault[]; byId: ReadonlyMap<string, Vault> };
/** Parsed registries, by the cached rows they were made of. */
const parsed = new WeakMap<object, Registry>();

const MINUTE_MS = 60_000;

/**
 * The vaults that may be shown: those of configured chains that are not `unsupported`. Up to a minute old;
 * the last good copy outlives the database. Throws `store_unavailable` when there is none.
 */
export async function listRegistry(ctx: Context): Promise<Registry> {
  const { value: rows } = await ctx.cache.cached({
    key: "registry",
    schema: CachedRows,
    freshMs: MINUTE_MS / 2,
    staleMs: MINUTE_MS,
    keepMs: null,
    load: async () => CachedRows.parse(await selectVaults(ctx.db)),
  });
  const known = parsed.get(rows);
  if (known !== undefined) return known;
  const all = rows.filter((row) => ctx.chains.definitions.has(row.chainId)).map(toVault);
  const registry = { all, byId: new Map(all.map((vault) => [vault.vaultId, vault])) };
  parsed.set(rows, registry);
  return registry;
}

/** One vault for showing. Throws `vault_not_found`, `store_unavailable`. */
export async function findVault(ctx: Context, vaultId: string): Promise<Vault> {
  const vault = (await listRegistry(ctx)).byId.get(vaultId);
  if (vault === undefined) throw failure("vault_not_found", `there is no vault ${vaultId}`);
  return vault;
}

/**
 * One vault straight from Postgres, for transactions: what money is sent to never comes from a cache.
 * Throws `vault_not_found`, `store_unavailable`.
 */
export async function findVaultForDeposit(ctx: Context, key: VaultKey): Promise<Vault> {
  const row = ctx.chains.definitions.has(key.chainId) ? await selectVault(ctx.db, key) : null;
  if (row === null || row.status === "unsupported") {
    throw failure("vault_not_found", `there is no vault ${key.chainId}:${key.address.toLowerCase()}`);
  }
  return toVault(row);
}
