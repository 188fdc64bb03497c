import type { Context } from "../context.ts";
import { type ChainFlows, type OpenRequest, selectUserFlows } from "../db/queries/user-flow-queries.ts";
import { failure } from "../errors.ts";
import { describeError } from "../lib/logger.ts";
import { withDeadline } from "../lib/timers.ts";

/** Time limit of the database query, milliseconds: positions come from the chains and must not wait longer. */
const STORE_DEADLINE_MS = 2_000;

/** Gives what the database answers within two seconds. Throws `store_unavailable` when it takes longer. */
function withStoreDeadline<T>(work: Promise<T>): Promise<T> {
  const late = () => failure("store_unavailable", "the database took too long");
  return withDeadline(work, { ms: STORE_DEADLINE_MS, late });
}

/** The most that indexed flows may lag behind the balance, milliseconds: a longer lag would look like yield or loss. */
const MAX_LAG_MS = 5 * 60_000;

/** A user's stored flows by chain id, and open deposit requests. */
export interface StoredFlows {
  flows: ReadonlyMap<number, ChainFlows>;
  /** Open requests of families whose contracts do not list them by account. */
  requests: readonly OpenRequest[];
}

/** Reads a user's stored flows and open requests on some chains; empty when the database fails. Never throws. */
export async function readStoredFlows(
  ctx: Context,
  query: { user: string; chainIds: readonly number[] },
): Promise<StoredFlows> {
  try {
    const { chains, requests } = await withStoreDeadline(selectUserFlows(ctx.db, query));
    return { flows: new Map(chains.map((chain) => [chain.chainId, chain])), requests };
  } catch (error) {
    ctx.log.warn("positions_unstored", { error: describeError(error) });
    return { flows: new Map(), requests: [] };
  }
}

/**
 * Returns a user's deposits less withdrawals in one vault, in the asset's smallest unit; negative when withdrawn yield
 * exceeds it. Null when it is unknown or too old for a balance read at `blockTimestamp` (seconds).
 */
export function depositedAssets(
  flows: ChainFlows | undefined,
  of: { vaultAddress: string; blockTimestamp: number | null },
): bigint | null {
  if (flows === undefined || flows.headTime === null || of.blockTimestamp === null) return null;
  if (of.blockTimestamp * 1000 - flows.headTime.getTime() > MAX_LAG_MS) return null;
  const sum = flows.sums[of.vaultAddress.toLowerCase()];
  return sum === undefined || sum === null ? null : BigInt(sum);
}
