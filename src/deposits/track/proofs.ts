import { type Hex, type Log, parseAbi, parseEventLogs } from "viem";
import type { Receipt } from "../../chains/transaction.ts";
import type { DepositRow } from "../../db/queries/deposits.ts";
import { sameAddress } from "../../lib/address.ts";
import { deductParts, fractionToParts } from "../../lib/amount.ts";
import { once } from "../../lib/once.ts";
import type { BridgeProof, DeliveryProof } from "../../providers/provider.ts";
import { routerDeposits } from "../../router/codec.ts";

/** Shares that a receipt shows to have reached a deposit's user, in the share token's smallest unit. */
export interface ShareProof {
  shares: bigint;
  /** What went into the vault, where the receipt tells; smallest unit of the asset. */
  amountIn: bigint | null;
}

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
 * Looks in a successful receipt for the proof that a deposit's shares reached its user. Through the Router:
 * its own `Deposited` with this reference, receiver and share token, and no fewer shares than promised (the
 * reference alone proves nothing, anybody can repeat it). Otherwise the net share transfers to the user.
 */
export function findShareProof(receipt: Receipt, subject: ProofSubject): ShareProof | null {
  if (!receipt.succeeded) return null;
  return subject.via === "router" ? routerProof(receipt, subject) : transferProof(receipt.logs, subject);
}

/** A second step is built for what arrived, so that no promise binds it; but its sender is the user alone. */
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

/** A token's own Transfer events (EIP-20); none of a token that is not known. */
export function transfersOf(logs: readonly Log[], token: string | null) {
  const own = logs.filter(({ address }) => token !== null && sameAddress(address, token));
  return parseEventLogs({ abi: transferAbi(), logs: own }).map(({ args }) => args);
}

/** What an account gained of a token, by the token's own Transfer events (EIP-20). Negative: it lost. */
export function netTransfers(logs: readonly Log[], of: { token: string; account: string }): bigint {
  let net = 0n;
  for (const { from, to, value } of transfersOf(logs, of.token)) {
    if (sameAddress(to, of.account)) net += value;
    if (sameAddress(from, of.account)) net -= value;
  }
  return net;
}

/** How often a transaction sent the account shares. */
export function countShareTransfers({ shareToken, userAddress }: DepositRow, { logs }: Receipt): number {
  return transfersOf(logs, shareToken).filter(({ to }) => sameAddress(to, userAddress)).length;
}

/** The references of all Router deposits in a receipt. */
export function routerRefs(receipt: Receipt): Hex[] {
  return receipt.succeeded ? routerDeposits(receipt.logs).map(({ args }) => args.ref) : [];
}

/**
 * What of a deposit's moved token a delivery brought the user, smallest unit; null: nothing. Without a call the
 * bridge pays the user, which for native money nothing but its own event shows; after a call the user has what is
 * transferred meanwhile.
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
 * What a swap on the vault's own chain brought the user, smallest unit; null: less than was guaranteed, the loss
 * the user allows taken off once more.
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
 * What a receipt of the source chain shows to have been paid back to the user, smallest unit; null: no refund of
 * this deposit. Exactly what the bridge's own event says it took, once and by whom took it: a sum of several
 * refunds, or one of them twice, does not say whose it is.
 */
export function findRefund(
  receipt: Receipt,
  seen: { row: Pick<DepositRow, "userAddress">; took: NonNullable<BridgeProof["took"]> },
): bigint | null {
  const { row, took } = seen;
  if (!receipt.succeeded || took.amount <= 0n) return null;
  const paid = transfersOf(receipt.logs, took.token).filter(
    ({ from, to }) => sameAddress(from, took.by) && sameAddress(to, row.userAddress),
  );
  return paid.length === 1 && paid[0]?.value === took.amount ? took.amount : null;
}
