import type { TransferReference } from "./provider.ts";

/** One of several transfers that a source transaction contains: its account, and the amount that the bridge takes. */
interface Candidate<T> {
  transfer: T;
  /** True if the bridge's event names the sender's account as depositor or receiver. */
  namesAccount: boolean;
  amount: bigint;
}

/**
 * Returns the transfer that a reference identifies. If the source transaction has several, as a bundle of user
 * operations may, it is the only one that names the sender's account; if several name it, the only one of them with the
 * sender's amount. Null if there is none, or if the transfer cannot be identified.
 */
export function matchTransfer<T>(
  candidates: readonly Candidate<T>[],
  { sender }: Pick<TransferReference, "sender">,
): T | null {
  const [only, ...others] = candidates;
  if (only === undefined || others.length === 0) return only?.transfer ?? null;
  if (sender === undefined) return null;
  const own = candidates.filter(({ namesAccount }) => namesAccount);
  const equal = own.length > 1 ? own.filter(({ amount }) => amount === sender.amount) : own;
  return equal.length === 1 ? (equal[0]?.transfer ?? null) : null;
}
