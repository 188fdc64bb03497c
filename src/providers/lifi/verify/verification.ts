import { type Address, type Hex, pad } from "viem";
import { sameAddress } from "../../../lib/address.ts";
import type { TransferRequest } from "../../provider.ts";
import { lifiRejection } from "../api/lifi-errors.ts";
import type { LifiDeployment } from "../deployments.ts";

/** What the answer claims, read from its JSON. Amounts in smallest units. */
export interface QuoteClaim {
  tool: string;
  transactionId: Hex;
  /** Of the token that is delivered, before any call at the end. */
  toAmount: bigint;
  toAmountMin: bigint;
  /** Fees that LI.FI says it takes from the amount; null when it says nothing. */
  takenFees: bigint | null;
  /** Fees that are paid on top in the native token, wei. */
  feesOnTop: bigint;
}

/** Everything a check may look at: what was asked, what ships in code, what is claimed. */
export interface Verification {
  request: TransferRequest;
  source: LifiDeployment;
  destination: LifiDeployment;
  integrator: string;
  /** Unix seconds. */
  now: number;
  claim: QuoteClaim;
}

/** Throws `upstream_rejected` unless a condition holds; `field` names what differs, for the log. */
export function requireMatch(holds: boolean, field: string): asserts holds {
  if (!holds) throw lifiRejection(field);
}

/** Whether a 32-byte word is an address, left-padded. */
export function isPaddedAddress(word: Hex, address: Address): boolean {
  return sameAddress(word, pad(address, { size: 32 }));
}

/**
 * Throws `upstream_rejected` unless a bridge that moves one asset guarantees at least half of what it is given, both in
 * the same unit: whatever a quote claims, no fee is worth more.
 */
export function checkMaxLoss(sent: bigint, guaranteed: bigint): void {
  requireMatch(guaranteed * 2n >= sent, "toAmountMin");
}
