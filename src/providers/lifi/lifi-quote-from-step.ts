import { zeroAddress } from "viem";
import { isNativeAlias, sameAddress } from "../../lib/address.ts";
import { PARTS_PER_BILLION } from "../../lib/amount.ts";
import type { TransferQuote } from "../provider.ts";
import type { LifiStep, LifiToken } from "./api/lifi-schemas.ts";
import { bridgeOfTool } from "./lifi-bridges.ts";

/** Name of the LI.FI provider. */
export const LIFI_KEY = "lifi";

const GAS = /^[0-9]{1,12}$/;
const LOGO = /^https:\/\/[\w.-]+\/[\w./%-]{1,400}$/;

/**
 * The fields of a quote that were already checked: amounts, in the delivered token's smallest unit, and
 * supported deliveries.
 */
type CheckedFields = Pick<TransferQuote, "toAmount" | "toAmountMin" | "supportsCall" | "supportsPlain">;

/**
 * Converts a step of a LI.FI response to a quote. The amounts and supported deliveries come from `checked`, the fees
 * from what the step declares. A logo, duration or gas estimate that is missing or invalid becomes null.
 */
export function quoteFromStep(step: LifiStep, checked: CheckedFields): TransferQuote {
  const bridge = bridgeOfTool(step.tool)?.bridge ?? null;
  const { estimate, toolDetails } = step;
  const seconds = estimate.executionDuration ?? null;
  return {
    provider: LIFI_KEY,
    bridge: bridge?.key ?? null,
    bridgeName: bridge?.name ?? null,
    bridgeLogo: bridge === null ? null : ifMatching(LOGO, toolDetails?.logoURI),
    ...checked,
    // Across's SpokePool unwraps only for an account without code.
    ...(bridge?.key === "across" && isNativeAlias(step.action.toToken.address) && { wrapsNative: true }),
    declaredFee: declaredFee(step),
    nativeFee: announcedNativeFee(step),
    estimatedSeconds: seconds === null ? null : Math.ceil(seconds),
    gas: sumGas(estimate.gasCosts ?? []),
  };
}

/**
 * Returns the fees that a step declares as included in its amounts, as parts per billion, rounded down: each fee in
 * relation to the amount in the same token (paid or delivered). Fees in other tokens are not counted.
 */
function declaredFee({ action, estimate }: LifiStep): bigint {
  const ends = [
    { token: action.fromToken, amount: action.fromAmount },
    { token: action.toToken, amount: estimate.toAmount },
  ];
  let parts = 0n;
  for (const fee of estimate.feeCosts ?? []) {
    const end = ends.find(({ token }) => fee?.included === true && isSameToken(fee.token, token));
    if (fee && end && end.amount > 0n) parts += (fee.amount * PARTS_PER_BILLION) / end.amount;
  }
  return parts;
}

/** Returns the total fee that a step adds on top of the amount, in the source chain's native currency, in wei. */
function announcedNativeFee({ action, estimate }: LifiStep): bigint {
  const native = { chainId: action.fromChainId, address: zeroAddress };
  return (estimate.feeCosts ?? []).reduce(
    (sum, fee) => (fee && !fee.included && isSameToken(fee.token, native) ? sum + fee.amount : sum),
    0n,
  );
}

type NamedToken = Pick<LifiToken, "chainId" | "address">;

function isSameToken(a: NamedToken, b: NamedToken): boolean {
  return a.chainId === b.chainId && sameAddress(a.address, b.address);
}

/** Returns a text from LI.FI's response if it has the expected shape, otherwise null. */
function ifMatching(shape: RegExp, text: string | null | undefined): string | null {
  return typeof text === "string" && shape.test(text) ? text : null;
}

/** Returns the total gas of all costs, or null if there are no costs or one has no valid estimate. */
function sumGas(costs: readonly { estimate?: string | null | undefined }[]): bigint | null {
  const units = costs.map((cost) => ifMatching(GAS, cost.estimate));
  if (units.length === 0 || units.includes(null)) return null;
  return units.reduce((sum, unit) => sum + BigInt(unit ?? 0), 0n);
}
