import { isAddressEqual } from "viem";
import { decodeFee } from "../decode/fee.ts";
import type { SwapData } from "../decode/structs.ts";
import { feeRecipients } from "../deployments.ts";
import { must, type Subject } from "./subject.ts";

/** The largest fee LI.FI may take, as a divisor of the amount: one percent; it takes a quarter of that. */
const FEE_CAP_DIVISOR = 100n;

/** Whether a call pays a fee: it gives the token it takes. */
export function isFeeStep(swap: SwapData): boolean {
  return isAddressEqual(swap.sendingAssetId, swap.receivingAssetId);
}

/**
 * Checks the fee call: LI.FI's fee contract, LI.FI's recipient, under the cap, as much as is declared.
 * Gives the fee in the token's smallest unit. Throws `upstream_rejected`.
 */
export function checkFee(subject: Subject, swap: SwapData): bigint {
  const { request, claim, source } = subject;
  must(
    source.feeForwarders.some((address) => isAddressEqual(address, swap.callTo)),
    "fee.callTo",
  );
  must(isAddressEqual(swap.approveTo, swap.callTo), "fee.approveTo");
  const payment = decodeFee(swap.callData);
  must(payment !== null, "fee.callData");
  must(isAddressEqual(payment.token, request.fromToken), "fee.token");
  for (const { recipient } of payment.distributions) {
    must(
      feeRecipients.some((address) => isAddressEqual(address, recipient)),
      "fee.recipient",
    );
  }
  const total = payment.distributions.reduce((sum, { amount }) => sum + amount, 0n);
  must(total <= request.amount / FEE_CAP_DIVISOR, "fee.amount");
  if (claim.takenFees !== null) must(total === claim.takenFees, "fee.amount");
  return total;
}
