import type { TransferReference } from "./provider.ts";

/** One of several transfers that a source transaction contains: its account, and the amount that the bridge takes. */
interface Candidate<T> {
  transfer: T;
  /** True if the bridge's event names the sender's account as depositor or receiver. */
  namesAccount: boolean;
  amount: bigint;
}

/**
 * Returns the transfer that a reference means: the only one in the source transaction, otherwise the only one that
 * names the sender's account, or of several the only one with its amount. Null if there is none, or if several remain:
 * other users' transfers are in the same transaction when a bundle contains the user operation of the sender.
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
