import type { Context } from "../context.ts";
import { type ChainFlows, sumFlows } from "../db/queries/flow-sums.ts";
import { describeError } from "../lib/log.ts";
import { soon } from "./soon.ts";

/** A sum that lags the balance by more than this is not shown, milliseconds: it would look like yield or loss. */
const MAX_LAG_MS = 5 * 60_000;

/**
 * What a user put into vaults by chain, from the flows that are stored; none when the database does not answer.
 * Never throws: positions are worth showing without it.
 */
export async function readDeposited(
  ctx: Context,
  query: { user: string; chainIds: readonly number[] },
): Promise<ReadonlyMap<number, ChainFlows>> {
  try {
    const sums = await soon(sumFlows(ctx.db, query));
    return new Map(sums.map((chain) => [chain.chainId, chain]));
  } catch (error) {
    ctx.log.warn("flows_unreadable", { error: describeError(error) });
    return new Map();
  }
}

/**
 * A user's sum in one vault, in the asset's smallest unit, null where it is not known or too old for a balance that
 * was read at `blockTimestamp` (seconds). It may be negative: what is withdrawn includes what was earned.
 */
export function depositedIn(
  flows: ChainFlows | undefined,
  of: { vaultAddress: string; blockTimestamp: number | null },
): bigint | null {
  if (flows === undefined || flows.headTime === null || of.blockTimestamp === null) return null;
  if (of.blockTimestamp * 1000 - flows.headTime.getTime() > MAX_LAG_MS) return null;
  const sum = flows.sums[of.vaultAddress.toLowerCase()];
  return sum === undefined || sum === null ? null : BigInt(sum);
}
