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
 * Searches the vaults' chains for Router transactions that carry the deposit references of the given rows, and returns
 * the newest transaction hash of each. Per chain, it reads at most about 1,000 of the newest blocks, newest first, with
 * up to four log requests, so older ones of these blocks may not be searched. A reference that was not found is absent.
 * The nodes' responses are not verified: the caller must verify the transactions. Never throws: a chain that is not
 * served is skipped, and one whose search fails is logged and skipped.
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
 * Searches the head block and the `blocks` blocks before it for Router deposits with the given references. `refs` must
 * not be empty, because nodes then match every order. Reads the newest blocks first, with at most four log requests
 * (more only if the first window's filters need them), so older blocks may be left out. Returns, by reference as the
 * node spells it (lowercase), the hash of its newest transaction; a reference that was not found is absent. The node's
 * response is not verified: the caller must verify the transactions. Errors of the chain client propagate.
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
