import type { Hex } from "viem";
import type { Context } from "../context.ts";
import type { DepositRow } from "../db/queries/deposits.ts";
import { describeError } from "../lib/log.ts";
import { findRouterDeposits } from "../router/find-deposits.ts";

/** Public nodes give logs of some thousand blocks at once; deposits are sent soon after they were built. */
const BLOCKS = 1_000n;

/**
 * Looks for deposits that the Router has made meanwhile though nobody said so, in one request for each chain.
 * Gives transactions by reference; a chain that does not answer has none.
 */
export async function findByReference(
  ctx: Context,
  rows: readonly DepositRow[],
): Promise<ReadonlyMap<string, Hex>> {
  const chainIds = new Set(rows.map(({ vaultChainId }) => vaultChainId));
  const searches = [...chainIds].map(async (chainId) => {
    const there = rows.filter(({ vaultChainId }) => vaultChainId === chainId);
    const client = ctx.chains.client(chainId);
    if (client === null) return [];
    try {
      return [
        ...(await findRouterDeposits(client, { refs: there.map(({ ref }) => ref as Hex), blocks: BLOCKS })),
      ];
    } catch (error) {
      ctx.log.warn("references_unsearched", { chain_id: chainId, error: describeError(error) });
      return [];
    }
  });
  return new Map((await Promise.all(searches)).flat());
}
