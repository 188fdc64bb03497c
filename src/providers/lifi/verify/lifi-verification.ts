import { type Address, type Hex, pad } from "viem";
import { sameAddress } from "../../../lib/address.ts";
import type { TransferRequest } from "../../provider.ts";
import { lifiRejection } from "../api/lifi-errors.ts";
import type { LifiDeployment } from "../lifi-deployments.ts";

/** The claims in the JSON part of a quote. Amounts in smallest units. */
export interface QuoteClaim {
  tool: string;
  transactionId: Hex;
  /** Expected amount delivered, before any destination call. */
  toAmount: bigint;
  /** Minimum amount delivered, before any destination call. */
  toAmountMin: bigint;
  /** Fees deducted from the amount; null when the quote states none. */
  takenFees: bigint | null;
  /** Fees paid on top in the native token, wei. */
  feesOnTop: bigint;
}

/** The inputs of every check: the request, the deployments in code, and the quote's claims. */
export interface Verification {
  request: TransferRequest;
  source: LifiDeployment;
  destination: LifiDeployment;
  integrator: string;
  /** Unix seconds. */
  now: number;
  claim: QuoteClaim;
}

/** Throws `upstream_rejected` unless a condition holds; `field` names the differing field for the log. */
export function requireMatch(holds: boolean, field: string): asserts holds {
  if (!holds) throw lifiRejection(field);
}

/** Returns true when a 32-byte word is the left-padded address. */
export function isPaddedAddress(word: Hex, address: Address): boolean {
  return sameAddress(word, pad(address, { size: 32 }));
}

/**
 * Throws `upstream_rejected` when a bridge of one asset guarantees less than half of the amount sent, both in the
 * same unit: no legitimate fee is higher, whatever the quote claims.
 */
export function checkMaxLoss(sent: bigint, guaranteed: bigint): void {
  requireMatch(guaranteed * 2n >= sent, "toAmountMin");
}
