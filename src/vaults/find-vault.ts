import * as z from "zod";
import type { Context } from "../context.ts";
import { selectVault, selectVaults } from "../db/queries/vaults.ts";
import { failure } from "../errors.ts";
import { stringifyWithBigints } from "../lib/bigint-json.ts";
import { MINUTE_MS } from "../lib/durations.ts";
import { describeError } from "../lib/logger.ts";
import { formatVaultId, type VaultKey } from "../lib/vault-id.ts";
import { vaultTypes } from "../schemas/vault.ts";
import { adapterOf } from "./families.ts";
import { type StoredVault, toVault, type Vault } from "./vault.ts";

const TokenSchema = z.object({ address: z.string(), symbol: z.string(), decimals: z.int() });
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
  acceptedAssets: z.array(TokenSchema),
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
const registryOfRows = new WeakMap<object, Registry>();

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
  const known = registryOfRows.get(rows);
  if (known !== undefined) return known;
  const here = rows.filter((row) => ctx.chains.definitions.has(row.chainId));
  const all = here.flatMap((row) => parseRowOrSkip(ctx, row));
  const registry = { all, byId: new Map(all.map((vault) => [vault.vaultId, vault])) };
  registryOfRows.set(rows, registry);
  return registry;
}

/** The rows that have the shape of one. */
function readableRows(ctx: Context, rows: readonly StoredVault[]): z.infer<typeof CachedRows> {
  return rows.flatMap((row) => {
    const read = CachedRow.safeParse(row);
    if (!read.success) warnSkippedRow(ctx, { row, error: read.error });
    return read.success ? [read.data] : [];
  });
}

/** The vault of a row, in a list; an empty list, and a warning in the log, for a row that nobody can use. Never throws. */
export function parseRowOrSkip(ctx: Context, row: StoredVault): Vault[] {
  try {
    return [parseRegistryRow(row)];
  } catch (error) {
    warnSkippedRow(ctx, { row, error });
    return [];
  }
}

function warnSkippedRow(ctx: Context, { row, error }: { row: StoredVault; error: unknown }): void {
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
  const [vault] = row === null || row.status === "unsupported" ? [] : parseRowOrSkip(ctx, row);
  if (vault === undefined) throw failure("vault_not_found", `there is no vault ${formatVaultId(key)}`);
  return vault;
}

/**
 * Reads a registry row that is to be used. What is wrong with one is found out here, where it costs that vault
 * alone, and not among the reads of a whole chain. Throws an Error for a row whose addresses, adapter or parameters
 * are none.
 */
export function parseRegistryRow(row: StoredVault): Vault {
  const vault = toVault(row);
  adapterOf(vault).checkParams?.(vault);
  return vault;
}

/**
 * Does work on a vault as Postgres has it, without waiting for Postgres first: the work starts on the cached
 * row while the stored one is fetched, and is done again in the rare case that they differ. Nothing that
 * rests on a cached address is ever returned. `work` must have no effects outside.
 * Throws `vault_not_found`, `store_unavailable`, and what the work throws.
 */
export async function withStoredVault<T>(
  ctx: Context,
  input: { key: VaultKey; work: (vault: Vault) => Promise<T> },
): Promise<T> {
  const { key, work } = input;
  const stored = findVaultForDeposit(ctx, key);
  stored.catch(() => undefined);
  const guess = await findCachedVault(ctx, key);
  if (guess === null) return work(await stored);
  const early = work(guess);
  early.catch(() => undefined);
  const vault = await stored;
  return stringifyWithBigints(vault) === stringifyWithBigints(guess) ? early : work(vault);
}

async function findCachedVault(ctx: Context, key: VaultKey): Promise<Vault | null> {
  try {
    const guess = (await listRegistry(ctx)).byId.get(formatVaultId(key)) ?? null;
    return guess?.status === "active" ? guess : null;
  } catch {
    return null;
  }
}
