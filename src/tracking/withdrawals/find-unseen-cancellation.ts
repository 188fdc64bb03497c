import { getAddress } from "viem";
import { runQueryAtBlock } from "../../chains/aggregator/aggregate-reads-at-block.ts";
import { guardQuery } from "../../chains/chain-reads.ts";
import type { Context } from "../../context.ts";
import type { PendingExit } from "../../vaults/vault-exits.ts";
import type { ExitSubject, OpenExit } from "./read-exit-request.ts";
import type { EndSeen } from "./withdrawal-settlements.ts";
import type { WithdrawalTransition } from "./withdrawal-transitions.ts";

/** A request, and what a search for its end has found; `ends`, `gapless` and `since` are as in `findSettlements`. */
interface SearchedRequest {
  row: ExitSubject;
  now: OpenExit;
  ends: readonly EndSeen[];
  gapless: boolean;
  since: bigint;
}

/**
 * Returns the transition of a request whose cancellation no search for transfers can find (`VaultExits.cancelsUnseen`):
 * it is gone, with the confirmations that its chain requires, and no block has a payment. Null if that is not certain.
 */
export async function findUnseenCancellation(
  ctx: Context,
  of: SearchedRequest,
): Promise<WithdrawalTransition | null> {
  const { row, now, ends, gapless } = of;
  const isUnseen = row.requestId !== null && now.exits.cancelsUnseen?.(row.requestId, row.exitToken) === true;
  if (!isUnseen || now.request !== null || ends.length > 0 || !gapless) return null;
  const before = await readConfirmed(ctx, of);
  if (before === null || before.some(({ requestId }) => requestId === row.requestId)) return null;
  const event = { kind: "chain", shows: "request_cancelled", confirmed: true } as const;
  return { event, change: { substatus: null }, write: "on_change" };
}

/**
 * Reads the user's open requests at the newest block that has the confirmations which its chain requires, because the
 * search may have missed the blocks after it. Null if they cannot be read there, or if the request is newer.
 */
async function readConfirmed(
  ctx: Context,
  { row, now, since }: SearchedRequest,
): Promise<readonly PendingExit[] | null> {
  const client = ctx.chains.client(row.vaultChainId);
  const block = now.block.number - (client?.definition.confirmations ?? 0);
  if (client === null || block < since) return null;
  const asked = {
    ...{ user: getAddress(row.userAddress), requestIds: row.requestId === null ? [] : [row.requestId] },
    now: now.block.timestamp * 1_000,
  };
  const nothing = { reads: {}, interpret: () => null };
  const query = guardQuery(() => now.exits.pending?.(now.vault, asked) ?? nothing);
  return (
    client
      // If the session threw, it would be repeated on the next node.
      .onOneNode((node) => runQueryAtBlock(node, { query, block }).catch(() => null))
      .catch(() => null)
  );
}
