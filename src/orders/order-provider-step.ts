import type { Address, Hex } from "viem";
import type { RouterStepUse, VerifiedTransfer } from "../providers/provider.ts";
import { callOnlyStep, type RouterStep, routerSelf } from "../router/router-codec.ts";

/** A provider's transaction that runs as a step of a Router order. */
export interface ProviderStepPlan {
  route: Pick<VerifiedTransfer, "transaction" | "spender">;
  asStep: RouterStepUse;
  /** Input of the transaction, in its token's smallest unit. */
  amount: bigint;
}

/**
 * Returns the Router step that calls a provider's contract with a token that the Router's executor holds. The step
 * requires at least `amount` of the token and sends a swap's output to the executor.
 */
export function providerStep(token: Address, { route, asStep, amount }: ProviderStepPlan): RouterStep {
  const { to: target, data, value } = route.transaction;
  const { receiverOffset } = asStep;
  const patches =
    receiverOffset === null ? [] : [{ offset: BigInt(receiverOffset), token: routerSelf, mul: 0n, div: 0n }];
  return {
    // In the letter case in which the order is decoded again.
    ...callOnlyStep({ target, value, data: data.toLowerCase() as Hex }),
    approveToken: token,
    spender: route.spender ?? target,
    ...{ needToken: token, needAmount: amount },
    patches,
  };
}
