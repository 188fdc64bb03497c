import type { Hex } from "viem";
import type { ChainClient } from "../../chains/client.ts";
import { transactionLink } from "../../chains/definitions.ts";
import type { Context } from "../../context.ts";
import type { DepositRow } from "../../db/queries/deposits.ts";
import type { TransferStatus } from "../../schemas/deposit.ts";
import { isRequested } from "../track/async-request.ts";
import { nextStep } from "../track/next-step.ts";
import { currentState, isUnseen, statusOf } from "../track/state-machine.ts";
import type { FoundTransaction } from "./match.ts";
import type { UntrackedStatus } from "./untracked.ts";

type TransferSide = NonNullable<TransferStatus["sending"]>;

/** Writes a tracked deposit as a transfer status. Throws what is no AppError only. */
export async function toTransferStatus(ctx: Context, row: DepositRow): Promise<TransferStatus> {
  const state = currentState(row, ctx.now());
  const { next, refusal } = await nextStep(ctx, row);
  return {
    ...statusOf(state, row.substatus),
    // Nothing was seen to be sent: the hash is somebody's word, and the amount was only asked for.
    sending: isUnseen(state) ? null : sendingOf(ctx, row),
    receiving: receivingOf(ctx, row),
    bridge: row.bridge,
    router_explorer: row.routerExplorer,
    deposit: { tracking_id: row.trackingId, state, shares: row.shares, next, next_refusal: refusal },
  };
}

/** Of a deposit that was found by what it delivered, a source that its chain has not shown is still somebody's word. */
function sendingOf(ctx: Context, row: DepositRow): TransferSide | null {
  const shown = row.sourceProven || row.state === "submitted";
  if (row.sourceTxHash === null || !shown) return null;
  return sideOf(ctx, { hash: row.sourceTxHash, amount: row.fromAmount, chainId: row.fromChainId });
}

/** What the user got: shares, the token instead, or the money back; null while nothing has reached the user. */
function receivingOf(ctx: Context, row: DepositRow): TransferSide | null {
  switch (row.state) {
    case "completed": {
      const claimed = row.history.some(isRequested) ? row.claimTxHash : null;
      const hash = claimed ?? row.depositTxHash ?? row.destinationTxHash ?? row.sourceTxHash;
      return sideOf(ctx, { hash, amount: row.shares, chainId: row.vaultChainId });
    }
    case "awaiting_deposit":
    case "requested":
    case "claimable":
    case "partial": {
      if (row.destinationTxHash === null) return null;
      const { destinationTxHash: hash, deliveredAmount: amount } = row;
      return sideOf(ctx, { hash, amount, chainId: row.vaultChainId });
    }
    case "refunded":
      return sideOf(ctx, { hash: row.refundTxHash, amount: row.receivedAmount, chainId: row.fromChainId });
    default:
      return null;
  }
}

function sideOf(
  ctx: Context,
  { hash, amount, chainId }: { hash: string | null; amount: string | null; chainId: number },
): TransferSide {
  const chain = ctx.chains.definitions.get(chainId);
  const link = chain === undefined || hash === null ? null : transactionLink(chain, hash);
  return { tx_hash: hash as Hex | null, tx_link: link, amount, chain_id: chainId };
}

/** Writes a transaction that no deposit is known of as a transfer status. */
export function toUntrackedStatus(
  { hash, chainId }: FoundTransaction,
  { client, verdict }: { client: ChainClient; verdict: UntrackedStatus },
): TransferStatus {
  const link = transactionLink(client.definition, hash);
  const side = (amount: bigint | null) => ({
    tx_hash: hash,
    tx_link: link,
    amount: amount?.toString() ?? null,
    chain_id: chainId,
  });
  const absent = verdict.status === "NOT_FOUND" || verdict.status === "INVALID";
  return {
    status: verdict.status,
    substatus: verdict.substatus,
    sending: absent ? null : side(verdict.sent),
    receiving: verdict.received === null ? null : side(verdict.received),
    bridge: null,
    router_explorer: null,
    deposit: null,
  };
}
