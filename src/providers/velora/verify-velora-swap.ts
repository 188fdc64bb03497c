import { type Address, type Hex, isAddressEqual, zeroAddress } from "viem";
import { isNative } from "../../lib/address.ts";
import { deductParts } from "../../lib/amount.ts";
import type { RouterStepUse, TransferRequest } from "../provider.ts";
import {
  AUGUSTUS_DUST,
  AUGUSTUS_METHOD,
  BENEFICIARY_OFFSET,
  decodeAugustusSwap,
  encodeAugustusSwap,
  partnerFeeBps,
  VELORA_NATIVE,
} from "./velora-calldata.ts";
import type { VeloraDeployment } from "./velora-deployments.ts";
import { veloraRejection } from "./velora-errors.ts";
import type { VeloraRoute, VeloraSwap } from "./velora-schemas.ts";

/** Velora's response, with the request and the deployment that it must match. */
export interface VeloraVerifyInput {
  request: TransferRequest;
  deployment: VeloraDeployment;
  answer: VeloraSwap;
}

/**
 * A verified swap: the transaction to sign (`value` in wei), with its expected and minimum output in the output token's
 * smallest unit.
 */
export interface VerifiedVeloraSwap {
  transaction: { to: Address; data: Hex; value: bigint };
  toAmount: bigint;
  toAmountMin: bigint;
  /** Position of the beneficiary in the calldata, so that the swap can be a step of a Router order. */
  asStep: RouterStepUse;
}

/**
 * Decodes a swap's transaction, compares the fields that move money with the request, and encodes all decoded fields
 * again. Executor and data stay opaque; the minimum output bounds what they do. Throws `upstream_rejected`.
 */
export function verifyVeloraSwap({ request, deployment, answer }: VeloraVerifyInput): VerifiedVeloraSwap {
  const { priceRoute: route, txParams: sent } = answer;
  const value = isNative(request.fromToken) ? request.amount : 0n;
  requireMatch(matchesSwapRequest(route, { request, deployment }), "priceRoute");
  requireMatch(sent.chainId === request.fromChainId, "chainId");
  requireMatch(isAddressEqual(sent.to, deployment.router), "to");
  requireMatch(sent.value === value, "value");
  const swap = decodeAugustusSwap(sent.data);
  requireMatch(swap !== null, "data");
  requireMatch(swap.executorData !== "0x", "executorData");
  requireMatch(isAddressEqual(swap.srcToken, veloraToken(request.fromToken)), "srcToken");
  requireMatch(isAddressEqual(swap.destToken, veloraToken(request.toToken)), "destToken");
  requireMatch(isAddressEqual(swap.beneficiary, request.user), "beneficiary");
  requireMatch(swap.fromAmount === request.amount, "fromAmount");
  // The router checks the minimum before it deducts fees, so none may be taken.
  requireMatch(isAddressEqual(swap.partner, zeroAddress), "partner");
  requireMatch(partnerFeeBps(swap) === 0n, "fee");
  requireMatch(swap.permit === "0x", "permit");
  requireMatch(swap.quotedAmount >= route.destAmount, "quotedAmount");
  const toAmountMin = swap.toAmount - AUGUSTUS_DUST;
  requireMatch(toAmountMin >= deductParts(route.destAmount, request.slippage), "toAmount");
  requireMatch(toAmountMin > 0n && swap.toAmount <= route.destAmount, "toAmount");
  return {
    transaction: { to: deployment.router, data: encodeAugustusSwap(swap), value },
    toAmount: route.destAmount,
    toAmountMin,
    asStep: { receiverOffset: BENEFICIARY_OFFSET, leftovers: [] },
  };
}

/** Returns the address that Velora's API uses for a token. It differs only for the native currency. */
export const veloraToken = (token: Address): Address => (isNative(token) ? VELORA_NATIVE : token);

/**
 * Returns true if a Velora price has the request's chain, tokens and input amount, names the deployment's router and
 * the accepted function, and has an output above zero.
 */
export function matchesSwapRequest(
  route: VeloraRoute,
  { request, deployment }: Pick<VeloraVerifyInput, "request" | "deployment">,
): boolean {
  return (
    route.network === request.fromChainId &&
    route.contractMethod === AUGUSTUS_METHOD &&
    isAddressEqual(route.contractAddress, deployment.router) &&
    isAddressEqual(route.srcToken, veloraToken(request.fromToken)) &&
    isAddressEqual(route.destToken, veloraToken(request.toToken)) &&
    route.srcAmount === request.amount &&
    route.destAmount > 0n
  );
}

function requireMatch(holds: boolean, field: string): asserts holds {
  if (!holds) throw veloraRejection(field);
}
