import { erc20Abi, type Log, parseEventLogs } from "viem";
import { sameAddress } from "../lib/address.ts";
import { executedOrders, routerBridgeOutput } from "../router/router-codec.ts";
import type { TransferReference } from "./provider.ts";

/** One of several transfers that a source transaction contains: its account, and the amount that was paid for it. */
interface Candidate<T> {
  transfer: T;
  /** True if the bridge's event names the sender's account as depositor or receiver. */
  namesAccount: boolean;
  /** The amount that the bridge takes, or null if it takes another token than the paid one. */
  amount: bigint | null;
  /** Index of the bridge's event in the receipt. */
  logIndex: number | null;
  /** Index of the bridge's event before it, of any transfer, or -1 if it is the first. */
  after: number;
}

type Wanted = Pick<TransferReference, "sender" | "built"> & { logs: readonly Log[] };

/**
 * Returns the transfer that a reference identifies, of candidates in log order. If the source transaction has several,
 * as a bundle of user operations may, it is one that names the sender's account: in the reference's Router order the
 * last before the order's event, otherwise the only one or, of several, the only one that was paid with the sender's
 * amount or, if the sender sent several equal ones, the one at the reference's `place`, if as many are found. Outside a
 * Router order, none that takes more than the sender paid. Null if there is none, or if the transfer cannot be
 * identified. `logs` are those of the source transaction.
 */
export function matchTransfer<T>(candidates: readonly Candidate<T>[], wanted: Wanted): T | null {
  const end = orderEnd(wanted);
  const own = candidates.filter(({ namesAccount }) => namesAccount);
  // The bridge is the order's last step. A vault that the order calls, or the submitter, can add transfers before it.
  if (end !== null && candidates.length > 1)
    return own.findLast(({ logIndex }) => (logIndex ?? end) < end)?.transfer ?? null;
  const some = candidates.length > 1 ? own : candidates;
  const affordable = end === null ? some.filter((one) => isAffordable(one, wanted)) : some;
  const paid = affordable.length > 1 ? affordable.filter((one) => isPaid(one, wanted)) : affordable;
  const { index, count } = wanted.sender?.place ?? { index: 0, count: 1 };
  return paid.length === count ? (paid[index]?.transfer ?? null) : null;
}

/** Returns the amount that the sender paid, or null if it is unknown. */
const paidAmount = ({ sender }: Wanted): bigint | null => sender?.amount || null;

/** Returns false if a transfer takes more of the paid token than the sender paid: then it is another order's. */
function isAffordable({ amount }: Candidate<unknown>, wanted: Wanted): boolean {
  const paid = paidAmount(wanted);
  // Without what was built, the amount may be one of another token.
  return wanted.built === undefined || amount === null || paid === null || amount <= paid;
}

/**
 * Returns true if a transfer takes the sender's amount or, of a provider that may take fees first, if the only payment
 * that can have been for it is the sender's: the one of enough of the token since the bridge's event before, because
 * the provider takes the payment in the call that makes the transfer. After fees, one order's transfer may take exactly
 * what another one paid.
 */
function isPaid({ amount, logIndex, after }: Candidate<unknown>, wanted: Wanted): boolean {
  const { sender, built, logs } = wanted;
  const paid = paidAmount(wanted);
  if (sender === undefined || paid === null || amount === null) return false;
  if (!built?.swaps) return amount === paid;
  const token = logs.filter(({ address }) => sameAddress(address, built.fromToken ?? ""));
  const [payment, ...others] = parseEventLogs({ abi: erc20Abi, eventName: "Transfer", logs: token }).filter(
    ({ args, logIndex: at }) =>
      sameAddress(args.from, sender.account) &&
      args.value >= amount &&
      at > after &&
      at < (logIndex ?? after),
  );
  return payment?.args.value === paid && others.length === 0;
}

/**
 * Returns the log index of the Router's event of the order by which the sender paid into the bridge, or null if there
 * is none or several.
 */
function orderEnd({ sender, built, logs }: Wanted): number | null {
  if (sender === undefined || built === undefined) return null;
  const orders = executedOrders(logs).filter(
    ({ args }) =>
      args.ref === built.ref &&
      sameAddress(args.payer, sender.account) &&
      sameAddress(args.tokenOut, routerBridgeOutput),
  );
  return orders.length === 1 ? (orders[0]?.logIndex ?? null) : null;
}
