import { z } from "zod";
import type { BridgeSource } from "../../bridge/bridge-source.ts";
import { invalidRequest } from "./errors.ts";
import {
  AddressText,
  AmountText,
  ChainRef,
  HexText,
  Integrator,
  parse,
  Slippage,
  toQuoteRequest,
} from "./parse-request.ts";
import { planRouteOrThrow } from "./quote.ts";
import type { RoutePlan } from "./route-plan.ts";
import { buildStep } from "./step.ts";

const Keys = z.array(z.string()).default([]);
const Call = z.looseObject({
  fromAmount: AmountText,
  fromTokenAddress: z.string(),
  toContractAddress: AddressText,
  toContractCallData: HexText,
  toContractGasLimit: AmountText,
  toApprovalAddress: AddressText.optional(),
  toTokenAddress: AddressText.optional(),
});
const Body = z.looseObject({
  fromChain: ChainRef,
  toChain: ChainRef,
  fromToken: z.string(),
  toToken: z.string(),
  fromAddress: AddressText,
  fromAmount: AmountText.optional(),
  toAmount: AmountText.optional(),
  contractCalls: z.array(Call).max(8),
  toFallbackAddress: AddressText.optional(),
  contractOutputsToken: AddressText.optional(),
  slippage: Slippage.optional(),
  integrator: Integrator.optional(),
  allowBridges: Keys,
  denyBridges: Keys,
  allowExchanges: Keys,
  denyExchanges: Keys,
});

/**
 * `POST /quote/contractCalls`. Like the service, it neither simulates nor validates the calls. Throws `1011`, `1003`,
 * `1002`.
 */
export async function quoteContractCalls(source: BridgeSource, body: unknown): Promise<unknown> {
  const fields = parse(Body, body);
  if ((fields.fromAmount === undefined) === (fields.toAmount === undefined))
    throw invalidRequest("/ must have exactly one of fromAmount and toAmount");
  // Quotes by output amount are not emulated.
  if (fields.fromAmount === undefined) throw invalidRequest("/toAmount is not supported by this emulator");
  const calls = fields.contractCalls.map((call) => ({
    fromAmount: call.fromAmount,
    target: call.toContractAddress,
    callData: call.toContractCallData,
    approveTo: call.toApprovalAddress ?? call.toContractAddress,
    outputsToken: call.toTokenAddress ?? fields.contractOutputsToken ?? null,
    gasLimit: call.toContractGasLimit,
  }));
  const request = toQuoteRequest(source.bridgeChains, {
    ...fields,
    fromAmount: fields.fromAmount,
    toAddress: fields.toFallbackAddress,
    bridges: { allow: fields.allowBridges, deny: fields.denyBridges },
    exchanges: { allow: fields.allowExchanges, deny: fields.denyExchanges },
    calls,
    defaultIntegrator: "",
  });
  const plan = planRouteOrThrow(request);
  const declares = source.lifiQuirks().includes("declare_delivered");
  return buildStep(declares ? declareDelivered(plan) : plan, source.modeOf("lifi"));
}

/** Makes the calls declare the whole quoted output, as integrators observed with LI.FI across chains. */
function declareDelivered(plan: RoutePlan): RoutePlan {
  if (plan.bridge === null) return plan;
  const calls = plan.request.calls.map((call) => ({ ...call, fromAmount: plan.toAmountMin }));
  return { ...plan, request: { ...plan.request, calls } };
}
