import type { Context } from "../context.ts";
import { type ChainFlows, type OpenRequest, selectUserFlows } from "../db/queries/user-flows.ts";
import { failure } from "../errors.ts";
import { describeError } from "../lib/logger.ts";
import { withDeadline } from "../lib/timers.ts";

/** What the database adds to positions is not worth a longer wait: they come from the chains. */
const STORE_DEADLINE_MS = 2_000;

/** Gives what the database answers within two seconds. Throws `store_unavailable` when it takes longer. */
function withStoreDeadline<T>(work: Promise<T>): Promise<T> {
  const late = () => failure("store_unavailable", "the database took too long");
  return withDeadline(work, { ms: STORE_DEADLINE_MS, late });
}

/** A sum that lags the balance by more than this is not shown, milliseconds: it would look like yield or loss. */
const MAX_LAG_MS = 5 * 60_000;

/** What is stored of a user, by chain where it is a chain's. */
export interface StoredFlows {
  flows: ReadonlyMap<number, ChainFlows>;
  /** Open requests, for families that list none by account. */
  requests: readonly OpenRequest[];
}

/**
 * What is stored of a user on some chains; nothing when the database does not answer. Never throws: positions are
 * worth showing without it.
 */
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
 * A user's sum in one vault, in the asset's smallest unit, null where it is not known or too old for a balance that
 * was read at `blockTimestamp` (seconds). It may be negative: what is withdrawn includes what was earned.
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
