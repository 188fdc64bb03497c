import { type Hex, type Log, parseAbi, parseEventLogs } from "viem";
import type { Receipt } from "../../chains/chain-transaction.ts";
import type { DepositRow } from "../../db/queries/deposit-queries.ts";
import { sameAddress } from "../../lib/address.ts";
import { deductParts, fractionToParts } from "../../lib/amount.ts";
import { once } from "../../lib/once.ts";
import type { BridgeProof, DeliveryProof } from "../../providers/provider.ts";
import { routerDeposits } from "../../router/router-codec.ts";

/** Shares that a receipt proves to have reached the deposit's user, in the share token's smallest unit. */
export interface ShareProof {
  shares: bigint;
  /** Amount that entered the vault in the asset's smallest unit; null when the receipt does not show it. */
  amountIn: bigint | null;
}

/** The deposit that a receipt may prove, and who calls the vault: the Router or the user. */
export interface ProofSubject {
  row: Pick<
    DepositRow,
    "ref" | "userAddress" | "shareToken" | "minShares" | "fromAmount" | "state" | "twoStep" | "provider"
  >;
  via: "router" | "user";
}

const transferAbi = once(() =>
  parseAbi(["event Transfer(address indexed from, address indexed to, uint256 value)"]),
);

/**
 * Returns the proof that a deposit's shares reached its user; null when the receipt proves none. Through the
 * Router: its `Deposited` event with the deposit's reference, receiver and share token and at least the
 * minimum shares, because anybody can repeat a reference. By the user: the net share transfers to the user.
 */
export function findShareProof(receipt: Receipt, subject: ProofSubject): ShareProof | null {
  if (!receipt.succeeded) return null;
  return subject.via === "router" ? routerProof(receipt, subject) : transferProof(receipt.logs, subject);
}

/**
 * Finds the Router's event of a deposit. A second step has no minimum of shares, because it is built for the
 * amount that arrived, but its sender must be the user.
 */
function routerProof(receipt: Receipt, { row }: ProofSubject): ShareProof | null {
  const bySelf = row.twoStep || row.state === "partial";
  const minimum = bySelf ? 1n : BigInt(row.minShares ?? "1");
  for (const { args } of routerDeposits(receipt.logs)) {
    if (args.ref !== row.ref || args.shares < minimum) continue;
    if (!sameAddress(args.receiver, row.userAddress) || !sameAddress(args.shareToken, row.shareToken))
      continue;
    if (bySelf && !sameAddress(args.sender, row.userAddress)) continue;
    return { shares: args.shares, amountIn: args.amountIn };
  }
  return null;
}

function transferProof(logs: readonly Log[], { row }: ProofSubject): ShareProof | null {
  const shares = netTransfers(logs, { token: row.shareToken, account: row.userAddress });
  return shares > 0n ? { shares, amountIn: row.provider === null ? BigInt(row.fromAmount) : null } : null;
}

/** Decodes a token's own Transfer events (EIP-20); empty when the token is null. */
export function transfersOf(logs: readonly Log[], token: string | null) {
  const own = logs.filter(({ address }) => token !== null && sameAddress(address, token));
  return parseEventLogs({ abi: transferAbi(), logs: own }).map(({ args }) => args);
}

/**
 * Returns an account's net gain of a token from the token's Transfer events (EIP-20), negative for a loss.
 */
export function netTransfers(logs: readonly Log[], of: { token: string; account: string }): bigint {
  let net = 0n;
  for (const { from, to, value } of transfersOf(logs, of.token)) {
    if (sameAddress(to, of.account)) net += value;
    if (sameAddress(from, of.account)) net -= value;
  }
  return net;
}

/** Counts the transfers of shares to the deposit's user. */
export function countShareTransfers({ shareToken, userAddress }: DepositRow, { logs }: Receipt): number {
  return transfersOf(logs, shareToken).filter(({ to }) => sameAddress(to, userAddress)).length;
}

/** Returns the references of all Router deposits in a receipt. */
export function routerRefs(receipt: Receipt): Hex[] {
  return receipt.succeeded ? routerDeposits(receipt.logs).map(({ args }) => args.ref) : [];
}

/**
 * Returns the amount of the route's token that a delivery brought to the user, in its smallest unit; null
 * when it brought none. Without a destination call the bridge's own event proves it, which is the only trace
 * of native money; with a call the transfers between the delivery's logs do.
 */
export function findDeliveredAmount(
  receipt: Receipt,
  of: {
    row: Pick<DepositRow, "userAddress" | "moveToken" | "destinationCall">;
    delivery: DeliveryProof;
  },
): bigint | null {
  const { row, delivery } = of;
  if (!receipt.succeeded || row.moveToken === null) return null;
  if (!row.destinationCall) return delivery.amount > 0n ? delivery.amount : null;
  const { first, last } = delivery.logs;
  const during = receipt.logs.filter(({ logIndex }) => (logIndex ?? -1) >= first && (logIndex ?? -1) <= last);
  const arrived = netTransfers(during, { token: row.moveToken, account: row.userAddress });
  return arrived > 0n ? arrived : null;
}

/**
 * Returns the amount that a swap on the vault's chain brought to the user, in the token's smallest unit; null
 * when it is less than the guaranteed amount less the slippage.
 */
export function findSwapOutput(
  receipt: Receipt,
  row: Pick<DepositRow, "userAddress" | "moveToken" | "moveMin" | "slippage">,
): bigint | null {
  if (!receipt.succeeded || row.moveToken === null) return null;
  const arrived = netTransfers(receipt.logs, { token: row.moveToken, account: row.userAddress });
  const least = deductParts(BigInt(row.moveMin ?? "1"), fractionToParts(row.slippage));
  return arrived > 0n && arrived >= least ? arrived : null;
}

/**
 * Returns the amount that a source-chain receipt refunds to the user, in its smallest unit; null when it is
 * no refund of this deposit. Requires exactly one transfer of the amount that the bridge took, from the
 * contract that took it: with several it is unclear whose refund it is.
 */
export function findRefund(
  receipt: Receipt,
  seen: { row: Pick<DepositRow, "userAddress">; took: NonNullable<BridgeProof["taken"]> },
): bigint | null {
  const { row, took } = seen;
  if (!receipt.succeeded || took.amount <= 0n) return null;
  const paid = transfersOf(receipt.logs, took.token).filter(
    ({ from, to }) => sameAddress(from, took.by) && sameAddress(to, row.userAddress),
  );
  return paid.length === 1 && paid[0]?.value === took.amount ? took.amount : null;
}
