import type { Hex } from "viem";
import type { ChainClient } from "../../chains/chain-client.ts";
import { searchLogs } from "../../chains/log-reader.ts";
import { readHeadNumber } from "../../chains/read-block.ts";
import type { Context } from "../../context.ts";
import type { DepositRow } from "../../db/queries/deposit-queries.ts";
import { describeError } from "../../lib/logger.ts";
import { depositRouterAddress } from "../../router/router-address.ts";
import { executedOrderTopics } from "../../router/router-codec.ts";

/**
 * Number of newest blocks that are searched for Router deposits. It suffices because users send a deposit soon after
 * they built it.
 */
const REFERENCE_BLOCKS = 1_000;
/** Maximum number of RPC requests for one search for Router deposits, including rejected ones. */
const MAX_REFERENCE_REQUESTS = 4;

/**
 * Searches up to about 1,000 newest blocks of the vaults' chains for Router orders with the rows' references. Returns a
 * transaction hash by reference, to be verified by the caller. Chains that cannot be read are skipped.
 */
export async function findDepositsByReference(
  ctx: Context,
  rows: readonly DepositRow[],
): Promise<ReadonlyMap<string, Hex>> {
  const chainIds = new Set(rows.map(({ vaultChainId }) => vaultChainId));
  const searches = [...chainIds].map(async (chainId) => {
    const refs = rows.flatMap(({ vaultChainId, ref }) => (vaultChainId === chainId ? [ref as Hex] : []));
    const client = ctx.chains.client(chainId);
    if (client === null) return [];
    try {
      return [...(await findRouterDeposits(client, { refs, blocks: REFERENCE_BLOCKS }))];
    } catch (error) {
      ctx.log.warn("references_unsearched", { chain_id: chainId, error: describeError(error) });
      return [];
    }
  });
  return new Map((await Promise.all(searches)).flat());
}

/**
 * Searches the head and up to `blocks` blocks below it for Router orders. Returns the newest transaction by reference,
 * to be verified. `refs` must not be empty: nodes would match every order. Errors of the chain client propagate.
 */
export async function findRouterDeposits(
  client: ChainClient,
  { refs, blocks }: { refs: readonly Hex[]; blocks: number },
): Promise<Map<Hex, Hex>> {
  const head = await readHeadNumber(client);
  const { logs } = await searchLogs(client, {
    range: { from: Math.max(0, head - blocks), to: head },
    filters: [{ addresses: [depositRouterAddress.toLowerCase()], topics: executedOrderTopics(refs) }],
    order: "newest_first",
    maxRequests: MAX_REFERENCE_REQUESTS,
  });
  return new Map(
    logs.reverse().flatMap(({ topics: [, ref], txHash }) => (ref === undefined ? [] : [[ref, txHash]])),
  );
}
