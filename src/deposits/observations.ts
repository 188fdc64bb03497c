import type { Hex } from "viem";
import type { DepositChange, DepositRow } from "../db/queries/deposits.ts";
import type { ShareProof } from "./evidence.ts";
import type { Observation } from "./move.ts";

/** The deposit that a receipt is about, and whether its chain has confirmed the receipt. */
interface Seen {
  row: DepositRow;
  confirmed: boolean;
}

/**
 * Shares reached the user. With `depositTxHash` by a transfer of shares in that transaction, which then proves
 * no other deposit. Noted for a partial deposit too, which stays what it is: nothing is left to be done there.
 */
export function completed(
  { row, confirmed }: Seen,
  proof: ShareProof & { depositTxHash?: Hex; destinationTxHash?: Hex },
): Observation {
  const { depositTxHash, destinationTxHash } = proof;
  const change: DepositChange = {
    substatus: null,
    shares: proof.shares.toString(),
    receivedAmount: proof.amountIn?.toString() ?? null,
    ...(depositTxHash === undefined ? {} : { depositTxHash, depositProven: true }),
    ...(destinationTxHash === undefined ? {} : { destinationTxHash }),
  };
  const evidence = { kind: "chain", shows: "shares", confirmed } as const;
  return { evidence, change, noted: confirmed && row.state === "partial" ? "always" : "when_moving" };
}

/** What was moved reached the user instead of the vault. `amount` in the moved token's smallest unit. */
export function arrived(
  { row, confirmed }: Seen,
  { amount, destinationTxHash }: { amount: bigint; destinationTxHash: Hex },
): Observation {
  const shows = row.twoStep ? "token_awaits_deposit" : "token_only";
  const change = { substatus: null, destinationTxHash, deliveredAmount: amount.toString() };
  return { evidence: { kind: "chain", shows, confirmed }, change, noted: "when_moving" };
}

/** The bridge paid the user back on the source chain. `amount` in the smallest unit of what it took. */
export function refunded(
  { confirmed }: Seen,
  { amount, refundTxHash }: { amount: bigint; refundTxHash: Hex },
): Observation {
  const change = { substatus: null, refundTxHash, receivedAmount: amount.toString() };
  return { evidence: { kind: "chain", shows: "refund", confirmed }, change, noted: "when_moving" };
}
