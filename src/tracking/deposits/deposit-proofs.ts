import { type Hex, type Log, parseAbi, parseEventLogs } from "viem";
import type { Receipt } from "../../chains/chain-transaction.ts";
import type { DepositRow } from "../../db/queries/deposit-queries.ts";
import { isNative, sameAddress } from "../../lib/address.ts";
import { deductParts, fractionToParts } from "../../lib/amount.ts";
import { once } from "../../lib/once.ts";
import type { BridgeProof, DeliveryProof } from "../../providers/provider.ts";
import { executedOrders } from "../../router/router-codec.ts";

/**
 * Proof that a deposit's shares reached its user: the shares that a receipt shows, in the share token's smallest unit.
 */
export interface ShareProof {
  shares: bigint;
  /** Amount that was paid for them, in the paid token's smallest unit, or null if it is unknown. */
  amountIn: bigint | null;
  /**
   * False if the Router's event names another payer than the user, such as a bridge, or an account that repeats the
   * deposit for its user; otherwise true.
   */
  byUser: boolean;
}

/** The deposit that a receipt may prove, and the account that calls the vault: the Router or the user's own. */
export interface ProofSubject {
  row: Pick<
    DepositRow,
    | "ref"
    | "userAddress"
    | "shareToken"
    | "minShares"
    | "fromToken"
    | "fromAmount"
    | "moveToken"
    | "state"
    | "twoStep"
    | "provider"
  >;
  via: "router" | "user";
}

const transferAbi = once(() =>
  parseAbi(["event Transfer(address indexed from, address indexed to, uint256 value)"]),
);

/**
 * Returns the proof that shares reached a deposit's user, or null, also for a reverted transaction. `router`: the
 * Router's event with the row's reference and tokens, the user as receiver, and at least the row's minimum shares; in a
 * second step, any shares, but the user as payer. `user`: a net gain of shares by the token's transfers.
 */
export function findShareProof(receipt: Receipt, subject: ProofSubject): ShareProof | null {
  if (!receipt.succeeded) return null;
  return subject.via === "router" ? routerProof(receipt, subject) : transferProof(receipt.logs, subject);
}

/**
 * Finds the Router's event that proves a deposit, or returns null. The reference alone proves nothing, because anyone
 * can reuse it. A second step has no minimum, because it is built for the amount that arrived.
 */
function routerProof(receipt: Receipt, { row }: ProofSubject): ShareProof | null {
  const bySelf = row.twoStep || row.state === "partial";
  const minimum = bySelf ? 1n : BigInt(row.minShares ?? "1");
  for (const { args } of executedOrders(receipt.logs)) {
    if (args.ref !== row.ref || args.amountOut < minimum) continue;
    if (!sameAddress(args.receiver, row.userAddress) || !sameAddress(args.tokenOut, row.shareToken)) continue;
    // A route delivers `moveToken` to the Router; a direct deposit pays with `fromToken`.
    if (!sameAddress(args.tokenIn, row.moveToken ?? row.fromToken)) continue;
    const byUser = sameAddress(args.payer, row.userAddress);
    if (bySelf && !byUser) continue;
    return { shares: args.amountOut, amountIn: args.amountIn, byUser };
  }
  return null;
}

function transferProof(logs: readonly Log[], { row }: ProofSubject): ShareProof | null {
  const shares = netTransfers(logs, { token: row.shareToken, account: row.userAddress });
  const amountIn = row.provider === null ? BigInt(row.fromAmount) : null;
  return shares > 0n ? { shares, amountIn, byUser: true } : null;
}

/**
 * Decodes the Transfer events (EIP-20) that a token emitted, in log order. Values are in the token's smallest unit.
 * Empty if `token` is null.
 */
export function transfersOf(logs: readonly Log[], token: string | null) {
  const own = logs.filter(({ address }) => token !== null && sameAddress(address, token));
  return parseEventLogs({ abi: transferAbi(), logs: own }).map(({ args }) => args);
}

/**
 * Returns an account's net gain of a token according to the Transfer events (EIP-20) in the logs, in the token's
 * smallest unit; negative for a net loss.
 */
export function netTransfers(logs: readonly Log[], of: { token: string; account: string }): bigint {
  let net = 0n;
  for (const { from, to, value } of transfersOf(logs, of.token)) {
    if (sameAddress(to, of.account)) net += value;
    if (sameAddress(from, of.account)) net -= value;
  }
  return net;
}

/** Counts the transfers of the vault's shares to a deposit's user in one receipt. */
export function countShareTransfers(
  { shareToken, userAddress }: Pick<DepositRow, "shareToken" | "userAddress">,
  { logs }: Receipt,
): number {
  return transfersOf(logs, shareToken).filter(({ to }) => sameAddress(to, userAddress)).length;
}

/**
 * Returns the order references of all Router orders in a receipt (deposits and withdrawals), in log order. Empty if the
 * transaction reverted.
 */
export function routerRefs(receipt: Receipt): Hex[] {
  return receipt.succeeded ? executedOrders(receipt.logs).map(({ args }) => args.ref) : [];
}

/**
 * Returns the amount of the target token that a bridge delivered to the user, in the token's smallest unit, or null if
 * none. With a destination call, which may pass the tokens on, only the user's net gain in the delivery's logs counts.
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
  // The amount of the bridge's own event, because native currency leaves no transfer event.
  if (!row.destinationCall) return delivery.amount > 0n ? delivery.amount : null;
  const { first, last } = delivery.logs;
  const during = receipt.logs.filter(({ logIndex }) => (logIndex ?? -1) >= first && (logIndex ?? -1) <= last);
  const arrived = netTransfers(during, { token: row.moveToken, account: row.userAddress });
  return arrived > 0n ? arrived : null;
}

/**
 * Returns what a swap on the vault's chain paid the user, in the target token's smallest unit: what the user kept of it
 * or, if a batch spent it all, what arrived. Null if the swap reverted, or paid less than `moveMin` minus the slippage.
 * Of native currency, which has no transfer event, `moveMin`: the swap's calldata enforces it.
 */
export function findSwapOutput(
  receipt: Receipt,
  row: Pick<DepositRow, "userAddress" | "moveToken" | "moveMin" | "slippage">,
): bigint | null {
  if (!receipt.succeeded || row.moveToken === null) return null;
  if (isNative(row.moveToken)) return row.moveMin === null ? null : BigInt(row.moveMin);
  let arrived = 0n;
  for (const { to, value } of transfersOf(receipt.logs, row.moveToken))
    if (sameAddress(to, row.userAddress)) arrived += value;
  const least = deductParts(BigInt(row.moveMin ?? "1"), fractionToParts(row.slippage));
  if (arrived === 0n || arrived < least) return null;
  const kept = netTransfers(receipt.logs, { token: row.moveToken, account: row.userAddress });
  return kept > 0n ? kept : arrived;
}

/**
 * Returns the amount that a bridge paid back, in the token's smallest unit, or null: of a single transfer from its
 * contract (`took.by`) to the user, of at least the amount that it took. It may refund several transfers together.
 */
export function findRefund(
  receipt: Receipt,
  seen: {
    row: Pick<DepositRow, "userAddress">;
    took: Pick<NonNullable<BridgeProof["taken"]>, "token" | "amount" | "by">;
  },
): bigint | null {
  const { row, took } = seen;
  if (!receipt.succeeded || took.amount <= 0n) return null;
  const paid = transfersOf(receipt.logs, took.token).filter(
    ({ from, to }) => sameAddress(from, took.by) && sameAddress(to, row.userAddress),
  );
  const [{ value } = { value: 0n }, ...others] = paid;
  return others.length === 0 && value >= took.amount ? value : null;
}
