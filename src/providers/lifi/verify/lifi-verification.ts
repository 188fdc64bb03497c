import { type Address, type Hex, pad } from "viem";
import { sameAddress } from "../../../lib/address.ts";
import type { TransferRequest } from "../../provider.ts";
import { lifiRejection } from "../api/lifi-errors.ts";
import type { LifiDeployment } from "../lifi-deployments.ts";

/**
 * What a LI.FI quote's JSON states, before it is compared with the calldata. Amounts are in the tokens' smallest units.
 */
export interface QuoteClaim {
  /** LI.FI's key of the tool that the quote uses. */
  tool: string;
  /** LI.FI's id of the transfer, which the calldata repeats. */
  transactionId: Hex;
  /** Expected amount delivered, before any destination call. */
  toAmount: bigint;
  /** Minimum amount delivered, before any destination call. */
  toAmountMin: bigint;
  /** Bridge fee that the transaction pays in native currency on top of the amount, in wei. */
  feesOnTop: bigint;
}

/**
 * What a LI.FI transaction is checked against: the request, the deployments on both chains, the time, and what the
 * quote states.
 */
export interface Verification {
  request: TransferRequest;
  source: LifiDeployment;
  destination: LifiDeployment;
  /** Current time in unix seconds. */
  now: number;
  claim: QuoteClaim;
}

/** Seconds for which a LI.FI transaction is offered to the user: 180. */
export const LIFI_VALID_SECONDS = 180;

/**
 * Throws `upstream_rejected` if a condition does not hold. `field` names the field of LI.FI's response that failed the
 * check, for logs only.
 */
export function requireMatch(holds: boolean, field: string): asserts holds {
  if (!holds) throw lifiRejection(field);
}

/** Returns true if a 32-byte word is the given address, left-padded. */
export function isPaddedAddress(word: Hex, address: Address): boolean {
  return sameAddress(word, pad(address, { size: 32 }));
}

/**
 * Throws `upstream_rejected` if a bridge guarantees less than half of the amount sent, whatever its quote states. This
 * also rejects a flat fee that is more than half of a small amount. Both amounts must be of the same asset and have the
 * same decimals.
 */
export function checkMaxLoss(sent: bigint, guaranteed: bigint): void {
  requireMatch(guaranteed * 2n >= sent, "toAmountMin");
}
