import type { Log } from "viem";
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
}

type Wanted = Pick<TransferReference, "sender" | "built"> & { logs: readonly Log[] };

/**
 * Returns the transfer that a reference identifies, of candidates in log order. If the source transaction has several,
 * as a bundle of user operations may, it is one that names the sender's account: in the reference's Router order the
 * last before the order's event, otherwise the only one or, of several, the only one with the sender's amount. Null if
 * there is none, or if the transfer cannot be identified. `logs` are those of the source transaction.
 */
export function matchTransfer<T>(candidates: readonly Candidate<T>[], wanted: Wanted): T | null {
  const [only, ...others] = candidates;
  const { sender } = wanted;
  if (only === undefined || others.length === 0) return only?.transfer ?? null;
  if (sender === undefined) return null;
  const own = candidates.filter(({ namesAccount }) => namesAccount);
  const end = orderEnd(wanted);
  // The bridge is the order's last step. A vault that the order calls, or the submitter, can add transfers before it.
  if (end !== null) return own.findLast(({ logIndex }) => (logIndex ?? end) < end)?.transfer ?? null;
  const equal =
    own.length > 1 ? own.filter(({ amount }) => amount !== null && amount === sender.amount) : own;
  return equal.length === 1 ? (equal[0]?.transfer ?? null) : null;
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
