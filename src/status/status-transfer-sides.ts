import type { Hex } from "viem";
import { transactionLink } from "../chains/chain-definitions.ts";
import type { Context } from "../context.ts";
import type { DepositRow, WithdrawalRow } from "../db/queries/deposit-queries.ts";
import { isNative } from "../lib/address.ts";
import type { TransferStatus } from "../schemas/deposit-schema.ts";
import { isRequested, isUnseen } from "../tracking/deposits/deposit-state-machine.ts";
import { secondStepOf } from "../tracking/withdrawals/withdrawal-state-machine.ts";
import { describeToken } from "../vaults/vault-token-metadata.ts";
import type { FoundTransaction } from "./status-transaction-match.ts";
import type { UntrackedStatus } from "./status-untracked-transaction.ts";

type TransferSide = NonNullable<TransferStatus["sending"]>;
/** The sending and the receiving side of a transfer's status. */
type TransferSides = Pick<TransferStatus, "sending" | "receiving">;

/**
 * One side of a transfer: a transaction with the token and amount that it moved. `hash` is null if the transaction is
 * unknown.
 */
interface Movement {
  hash: string | null;
  chainId: number;
  /** Amount in the token's smallest unit, or null if it is unknown. */
  amount: string | null;
  /** The transferred token, or null if it is unknown. */
  token: string | null;
  kind: TransferSide["kind"];
}

/**
 * Returns the sending and receiving sides of a deposit's transfer status: the user's payment, null until its
 * transaction has been seen, and the shares, delivered token or refund that the user received, null in states that show
 * none of these. Throws `store_unavailable`.
 */
export async function depositSides(ctx: Context, row: DepositRow): Promise<TransferSides> {
  return describeSides(ctx, { sent: sentOf(row), received: receivedOf(row) });
}

/**
 * Returns the sending and receiving sides of a withdrawal's transfer status: the shares to redeem, null until their
 * transaction has been seen, and the tokens, or the shares of a cancelled request, that the user received, null in
 * states that show none of these (also while a bridge has what the vault paid). Throws `store_unavailable`.
 */
export async function withdrawalSides(ctx: Context, row: WithdrawalRow): Promise<TransferSides> {
  const { sourceTxHash: hash, vaultChainId: chainId, shareToken: token } = row;
  const sent = row.sourceProven || row.state === "submitted";
  const planned = row.fromAmount === "0" ? row.estimatedShares : row.fromAmount;
  const amount = row.shares ?? planned;
  return describeSides(ctx, {
    sent: hash === null || !sent ? null : { hash, chainId, amount, token, kind: "shares" },
    received: paidOf(row),
  });
}

/**
 * Returns the sides of the transfer status of a repeated second step: the `amount` of the vault's payment that it took,
 * and what the user received for it by `row`, or null if nothing yet. Throws `store_unavailable`.
 */
export function repeatedTransferSides(
  ctx: Context,
  { row, hash, amount }: { row: WithdrawalRow; hash: string; amount: string },
): Promise<TransferSides> {
  const { vaultChainId: chainId, exitToken: token } = row;
  return describeSides(ctx, { sent: { hash, chainId, amount, token, kind: "asset" }, received: paidOf(row) });
}

/**
 * Returns what the user of a withdrawal received: the requested token, the token in which the vault paid (also back
 * from a bridge), or the shares of a cancelled request. Null in states that show none of these.
 */
function paidOf(row: WithdrawalRow): Movement | null {
  const { vaultChainId: chainId, exitToken: token, assets: amount } = row;
  const paidIn = row.claimTxHash ?? row.sourceTxHash;
  switch (row.state) {
    case "completed": {
      const hash = row.destinationTxHash ?? row.depositTxHash ?? paidIn;
      const arrived = { amount: row.deliveredAmount, token: row.moveToken };
      return { hash, chainId: row.toChainId, ...arrived, kind: "asset" };
    }
    case "awaiting_transfer":
      return { hash: paidIn, chainId, amount, token, kind: "asset" };
    case "partial":
      return { hash: row.destinationTxHash ?? paidIn, chainId, amount, token, kind: "asset" };
    case "refunded": {
      // A second step sends all that the vault paid, a Router order the minimum.
      const sent = secondStepOf(row) === null ? row.minAssets : row.assets;
      const returned = returnedByBridge({ token, sent, amount: row.receivedAmount });
      return { hash: row.refundTxHash, chainId, ...returned, kind: "asset" };
    }
    case "cancelled":
      return { hash: row.refundTxHash, chainId, amount: row.shares, token: row.shareToken, kind: "shares" };
    default:
      return null;
  }
}

/**
 * Returns the sides of the transfer status of a transaction of no recorded row, by its classification; both are null
 * without one. The receiving side is null if nothing is known to have been received. Throws `store_unavailable`.
 */
export async function untrackedSides(
  ctx: Context,
  { found, verdict }: { found: FoundTransaction; verdict: UntrackedStatus | null },
): Promise<TransferSides> {
  if (verdict === null) return { sending: null, receiving: null };
  const { hash, chainId } = found;
  const { sent, sentToken, sentKind, received, receivedKind, shareToken, endedBy } = verdict;
  const of = (amount: bigint | null) => ({ hash, chainId, amount: amount?.toString() ?? null });
  const arrived = { ...of(received), hash: endedBy ?? hash, token: shareToken, kind: receivedKind };
  return describeSides(ctx, {
    sent: { ...of(sent), token: sentToken, kind: sentToken === null ? null : sentKind },
    received: received === null && endedBy === null ? null : arrived,
  });
}

async function describeSides(
  ctx: Context,
  { sent, received }: { sent: Movement | null; received: Movement | null },
): Promise<TransferSides> {
  const [sending, receiving] = await Promise.all([sideOf(ctx, sent), sideOf(ctx, received)]);
  return { sending, receiving };
}

/**
 * Returns the payment of a deposit's user. Null until the source transaction is seen on the source chain, even if a
 * delivery already proves the deposit.
 */
function sentOf(row: DepositRow): Movement | null {
  const shown = !isUnseen(row.state) && (row.sourceProven || row.state === "submitted");
  if (row.sourceTxHash === null || !shown) return null;
  const { sourceTxHash: hash, fromChainId: chainId, fromAmount: amount, fromToken: token } = row;
  return { hash, chainId, amount, token, kind: "asset" };
}

/** Returns what a deposit's user received: shares, the delivered token, or a refund; null if nothing has arrived. */
function receivedOf(row: DepositRow): Movement | null {
  const { vaultChainId: chainId } = row;
  switch (row.state) {
    case "completed": {
      const claimed = row.history.some(isRequested) ? row.claimTxHash : null;
      const hash = claimed ?? row.depositTxHash ?? row.destinationTxHash ?? row.sourceTxHash;
      return { hash, chainId, amount: row.shares, token: row.shareToken, kind: "shares" };
    }
    case "partial":
    case "awaiting_deposit":
    case "requested":
    case "claimable": {
      // The vault paid the rest of a request back.
      if (row.state === "partial" && row.refundTxHash !== null)
        return { hash: row.claimTxHash, chainId, amount: row.shares, token: row.shareToken, kind: "shares" };
      const { destinationTxHash: hash, deliveredAmount: amount, moveToken: token } = row;
      return hash === null ? null : { hash, chainId, amount, token, kind: "asset" };
    }
    case "refunded": {
      const { refundTxHash: hash, receivedAmount: amount, fromToken, fromAmount } = row;
      // A vault returns the assets of a request on its own chain.
      if (row.history.some(isRequested))
        return { hash, chainId, amount, token: row.moveToken ?? fromToken, kind: "asset" };
      const returned = returnedByBridge({ token: fromToken, sent: fromAmount, amount });
      return { hash, chainId: row.fromChainId, ...returned, kind: "asset" };
    }
    default:
      return null;
  }
}

/**
 * Returns the amount that a bridge returned on the source chain, with the sent token, or with null if it may have taken
 * another one: after a swap, and of native currency.
 */
function returnedByBridge({
  token,
  sent,
  amount,
}: {
  token: string;
  sent: string | null;
  amount: string | null;
}) {
  const isSent = amount === null || (amount === sent && !isNative(token));
  return { amount, token: isSent ? token : null };
}

async function sideOf(ctx: Context, moved: Movement | null): Promise<TransferSide | null> {
  if (moved === null) return null;
  const { hash, chainId, amount, token: address, kind } = moved;
  const chain = ctx.chains.definitions.get(chainId);
  const link = chain === undefined || hash === null ? null : transactionLink(chain, hash);
  const token = address === null ? null : await describeToken(ctx, { chainId, address });
  return { tx_hash: hash as Hex | null, tx_link: link, amount, chain_id: chainId, token, kind };
}
