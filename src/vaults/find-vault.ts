import * as z from "zod";
import type { Context } from "../context.ts";
import { type ListedVaultRow, selectKnownVault, selectListedVaults } from "../db/queries/vault-queries.ts";
import type { VaultProof } from "../db/tables/vault-tables.ts";
import { failure } from "../errors.ts";
import { stringifyWithBigints } from "../lib/bigint-json.ts";
import { MINUTE_MS } from "../lib/durations.ts";
import { describeError } from "../lib/logger.ts";
import { formatVaultId, type VaultKey } from "../lib/vault-id.ts";
import type { CachePolicy } from "../redis/two-level-cache.ts";
import { vaultTypes } from "../schemas/vault-schema.ts";
import { adapterOf } from "./families/vault-families.ts";
import { type StoredVault, toVault, type Vault } from "./vault.ts";
import { CachedFigures, type ListedFacts } from "./vault-figures.ts";

const TokenSchema = z.object({ address: z.string(), symbol: z.string(), decimals: z.int() });
/** Schema of a vault's last proof as it is cached. */
const CachedProof: z.ZodType<VaultProof> = z.object({
  ok: z.boolean(),
  blockNumber: z.int().nullable(),
  at: z.string(),
  amount: z.string().nullable(),
  shares: z.string().nullable(),
  returned: z.string().nullable(),
  reason: z.string(),
});
/** Schema of a vault's row with its figures and signals as it is cached: the columns that a `Vault` is made of. */
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
  status: z.enum(["candidate", "active", "refused", "paused", "unsupported"]),
  statusReason: z.string(),
  // A copy that an older version cached has no proof.
  proof: CachedProof.nullable().default(null),
  minDeposit: z.string().nullable(),
  noMinimum: z.boolean(),
  startBlock: z.number().nullable(),
  // A copy that an older version cached has none of these.
  figures: CachedFigures.nullable().default(null),
  highSignals: z.int().default(0),
  mediumSignals: z.int().default(0),
});
const CachedRows = z.array(CachedRow);

/** The vaults on served chains that are active, paused or once were active. */
export interface Registry {
  /** All vaults whose rows are valid, by ascending chain id and address. */
  all: readonly Vault[];
  /** The same vaults by vault id, in the format of `formatVaultId`. */
  byId: ReadonlyMap<string, Vault>;
  /** Data for sorting and filtering lists, by vault id; may include vaults whose rows are invalid. */
  facts: ReadonlyMap<string, ListedFacts>;
}
/** Parsed registries by the array of cached rows from which each was parsed. */
const registryOfRows = new WeakMap<object, Registry>();

/**
 * Returns the registry from a cache, usually at most a minute old; if the database fails, the last good copy, however
 * old. Leaves out invalid rows. Throws `store_unavailable` if there is no copy.
 */
export async function listRegistry(ctx: Context): Promise<Registry> {
  const { value: rows } = await ctx.cache.cached(registryPolicy(ctx));
  const known = registryOfRows.get(rows);
  if (known !== undefined) return known;
  const here = rows.filter((row) => ctx.chains.definitions.has(row.chainId));
  const all = here.flatMap((row) => parseRowOrSkip(ctx, row));
  const facts = here.map(({ figures, highSignals: high, mediumSignals: medium, ...row }) => {
    return [formatVaultId(row), { figures, signals: { high, medium } }] as const;
  });
  const byId = new Map(all.map((vault) => [vault.vaultId, vault]));
  const registry = { all, byId, facts: new Map(facts) };
  registryOfRows.set(rows, registry);
  return registry;
}

// Loading is one query, so a lock would cost more than what it saves.
const registryPolicy = (ctx: Context): CachePolicy<z.infer<typeof CachedRows>> => ({
  key: "registry",
  schema: CachedRows,
  sharing: "unlocked",
  freshMs: MINUTE_MS / 2,
  staleMs: MINUTE_MS,
  keepMs: null,
  load: async () => readableRows(ctx, await selectListedVaults(ctx.db, new Date(ctx.now()))),
});

/**
 * Reloads the registry in this isolate's memory and in Redis after a change of the vaults with the ids `changed`, and
 * purges the responses about them and the lists of vaults and tokens from the platform's cache. If the database fails,
 * the last good copy stays and the failure is logged.
 */
export async function renewRegistry(ctx: Context, changed: readonly string[]): Promise<void> {
  await ctx.cache.renew(registryPolicy(ctx));
  ctx.purgeEdge(["vaults", "tokens", ...changed.map((vaultId) => `vault:${vaultId}`)]);
}

/** Returns the vault rows that have the expected shape. Logs a warning for each other row. */
function readableRows(ctx: Context, rows: readonly ListedVaultRow[]): z.infer<typeof CachedRows> {
  return rows.flatMap((row) => {
    const read = CachedRow.safeParse(row);
    if (!read.success) warnSkippedRow(ctx, { row, error: read.error });
    return read.success ? [read.data] : [];
  });
}

/** Parses a vault row into a list of one vault. If the row is invalid, logs a warning and returns an empty list. */
export function parseRowOrSkip(ctx: Context, row: StoredVault): Vault[] {
  try {
    return [parseRegistryRow(row)];
  } catch (error) {
    warnSkippedRow(ctx, { row, error });
    return [];
  }
}

function warnSkippedRow(
  ctx: Context,
  { row, error }: { row: { chainId: number; address: string }; error: unknown },
): void {
  const vault = formatVaultId(row);
  ctx.log.warn("registry_row_skipped", { vault, error: describeError(error) });
}

/**
 * Finds a vault by its id (in the format of `formatVaultId`) in the cached registry, see `listRegistry`: for display
 * and for checking an id, not for a build. Throws `vault_not_found` and `store_unavailable`.
 */
export async function findVault(ctx: Context, vaultId: string): Promise<Vault> {
  const vault = (await listRegistry(ctx)).byId.get(vaultId);
  if (vault === undefined)
    throw failure("vault_not_found", `there is no vault ${vaultId}: GET /v1/vaults lists the vaults`);
  return vault;
}

/**
 * Reads a vault, whether its deposits are open or not, from Postgres: an address that receives funds must not come from
 * a cache. Throws `store_unavailable`, and `vault_not_found` also for a vault outside `Registry` or an invalid row.
 */
export async function findStoredVault(ctx: Context, key: VaultKey): Promise<Vault> {
  const row = ctx.chains.definitions.has(key.chainId) ? await selectKnownVault(ctx.db, key) : null;
  const [vault] = row === null ? [] : parseRowOrSkip(ctx, row);
  if (vault === undefined)
    throw failure(
      "vault_not_found",
      `there is no vault ${formatVaultId(key)}: GET /v1/vaults lists the vaults`,
    );
  return vault;
}

/**
 * Converts a vault row to a vault and validates its family parameters with the adapter's `checkParams`. Throws an Error
 * for an invalid address, an unknown adapter or an invalid parameter.
 */
export function parseRegistryRow(row: StoredVault): Vault {
  const vault = toVault(row);
  adapterOf(vault).checkParams?.(vault);
  return vault;
}

/**
 * Runs work on a vault as stored in Postgres, but perhaps with an older proof. It may start with the cached vault and
 * run again if that differs, so `work` must have no side effects. Throws what `findStoredVault` or the last run throws.
 */
export async function withStoredVault<T>(
  ctx: Context,
  input: { key: VaultKey; work: (vault: Vault) => Promise<T> },
): Promise<T> {
  const { key, work } = input;
  const stored = findStoredVault(ctx, key);
  stored.catch(() => undefined);
  const guess = await findCachedVault(ctx, key);
  if (guess === null) return work(await stored);
  const early = work(guess);
  early.catch(() => undefined);
  const vault = await stored;
  return usedByBuilds(vault) === usedByBuilds(guess) ? early : work(vault);
}

/**
 * Returns a vault as text for comparison, without its proof, which is renewed regularly and does not affect deposits.
 */
const usedByBuilds = (vault: Vault): string => stringifyWithBigints({ ...vault, proof: null });

async function findCachedVault(ctx: Context, key: VaultKey): Promise<Vault | null> {
  try {
    const guess = (await listRegistry(ctx)).byId.get(formatVaultId(key)) ?? null;
    return guess?.status === "active" ? guess : null;
  } catch {
    return null;
  }
}
