import { z } from "@hono/zod-openapi";
import type { Context } from "../context.ts";
import { selectVault, selectVaults } from "../db/queries/vaults.ts";
import { failure } from "../errors.ts";
import { MINUTE_MS } from "../lib/durations.ts";
import { describeError } from "../lib/log.ts";
import { formatVaultId, type VaultKey } from "../lib/vault-id.ts";
import { vaultTypes } from "../schemas/vault.ts";
import { usableVault } from "./usable-vault.ts";
import type { StoredVault, Vault } from "./vault.ts";

const Token = z.object({ address: z.string(), symbol: z.string(), decimals: z.int() });
/** What the registry looks like in the cache: database rows, dates left out. */
const CachedRow = z.object({
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
});
const CachedRows = z.array(CachedRow);

type Registry = { all: readonly Vault[]; byId: ReadonlyMap<string, Vault> };
/** Parsed registries, by the cached rows they were made of. */
const parsed = new WeakMap<object, Registry>();

/**
 * The vaults that may be shown: those of configured chains that are not `unsupported`. Up to a minute old;
 * the last good copy outlives the database. A row that nobody can use is left out and said so.
 * Throws `store_unavailable` when there is no copy.
 */
export async function listRegistry(ctx: Context): Promise<Registry> {
  const { value: rows } = await ctx.cache.cached({
    key: "registry",
    schema: CachedRows,
    freshMs: MINUTE_MS / 2,
    staleMs: MINUTE_MS,
    keepMs: null,
    load: async () => readableRows(ctx, await selectVaults(ctx.db)),
  });
  const known = parsed.get(rows);
  if (known !== undefined) return known;
  const here = rows.filter((row) => ctx.chains.definitions.has(row.chainId));
  const all = here.flatMap((row) => vaultOrNone(ctx, row));
  const registry = { all, byId: new Map(all.map((vault) => [vault.vaultId, vault])) };
  parsed.set(rows, registry);
  return registry;
}

/** The rows that have the shape of one. */
function readableRows(ctx: Context, rows: readonly StoredVault[]): z.infer<typeof CachedRows> {
  return rows.flatMap((row) => {
    const read = CachedRow.safeParse(row);
    if (!read.success) warnOf(ctx, { row, error: read.error });
    return read.success ? [read.data] : [];
  });
}

/** The vault of a row, in a list; an empty list, and a warning in the log, for a row that nobody can use. Never throws. */
export function vaultOrNone(ctx: Context, row: StoredVault): Vault[] {
  try {
    return [usableVault(row)];
  } catch (error) {
    warnOf(ctx, { row, error });
    return [];
  }
}

function warnOf(ctx: Context, { row, error }: { row: StoredVault; error: unknown }): void {
  const vault = formatVaultId(row);
  ctx.log.warn("registry_row_skipped", { vault, error: describeError(error) });
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
  const [vault] = row === null || row.status === "unsupported" ? [] : vaultOrNone(ctx, row);
  if (vault === undefined) throw failure("vault_not_found", `there is no vault ${formatVaultId(key)}`);
  return vault;
}
