import { randomBytes } from "node:crypto";
import { zeroAddress } from "viem";
import { z } from "zod";
import type { BridgeChains } from "../../bridge/bridge-chains.ts";
import { GAS_PRICE, gasOf } from "./costs.ts";
import { NoQuote } from "./errors.ts";
import { AddressText, AmountText, Integrator, parse, Slippage, toQuoteRequest } from "./parse-request.ts";
import type { QuoteRequest } from "./quote-request.ts";
import { planRoutes, type RoutePlan } from "./route-plan.ts";
import { describeAction, describeStep } from "./step.ts";
import { describeToken, usdValue } from "./wire-format.ts";

const Keys = z.array(z.string()).default([]);
const Filter = z.looseObject({ allow: Keys, deny: Keys }).prefault({});
const Body = z.looseObject({
  fromChainId: z.int(),
  toChainId: z.int(),
  fromTokenAddress: z.string(),
  toTokenAddress: z.string(),
  fromAmount: AmountText,
  fromAddress: AddressText.optional(),
  toAddress: AddressText.optional(),
  options: z
    .looseObject({
      integrator: Integrator.optional(),
      slippage: Slippage.optional(),
      bridges: Filter,
      exchanges: Filter,
    })
    .prefault({}),
});

/**
 * `POST /advanced/routes`: one route per tool that has one; if none has, the reason of the preferred tool. Throws
 * `1011`, `1003`.
 */
export function listAdvancedRoutes(bridgeChains: BridgeChains, body: unknown): unknown {
  const fields = parse(Body, body);
  const request = toQuoteRequest(bridgeChains, {
    fromChain: fields.fromChainId,
    toChain: fields.toChainId,
    fromToken: fields.fromTokenAddress,
    toToken: fields.toTokenAddress,
    fromAmount: fields.fromAmount,
    fromAddress: fields.fromAddress ?? zeroAddress,
    toAddress: fields.toAddress,
    ...fields.options,
    calls: [],
    defaultIntegrator: "lifi-api",
  });
  const { plans, refusals } = planRoutes(request);
  const routes = plans.map(describeRoute);
  if (routes.length > 0) return { routes, unavailableRoutes: { filteredOut: [], failed: [] } };
  return { routes, unavailableRoutes: unavailable(request, refusals[0] ?? new NoQuote("across", null)) };
}

function describeRoute(plan: RoutePlan): unknown {
  const { request } = plan;
  const { diamond } = request.fromChain.contracts;
  const native = request.fromChain.tokens.find(({ address }) => address === zeroAddress);
  return {
    id: `0x${randomBytes(32).toString("hex")}`,
    fromChainId: request.fromChain.chainId,
    fromAmountUSD: usdValue(request.from, request.amount),
    fromAmount: request.amount.toString(),
    fromToken: describeToken(request.from),
    fromAddress: request.fromAddress,
    toChainId: request.toChain.chainId,
    toAmountUSD: usdValue(request.to, plan.toAmount),
    toAmount: plan.toAmount.toString(),
    toAmountMin: plan.toAmountMin.toString(),
    toToken: describeToken(request.to),
    toAddress: request.toAddress,
    gasCostUSD: native === undefined ? "0" : usdValue(native, gasOf(plan) * GAS_PRICE),
    containsSwitchChain: false,
    steps: [describeStep(plan, { to: diamond, spender: diamond, message: "0x" })],
    tags: ["RECOMMENDED", "CHEAPEST", "FASTEST"],
  };
}

function unavailable(request: QuoteRequest, error: NoQuote): unknown {
  const overallPath = `${request.fromChain.chainId}:${request.from.symbol}-${error.tool}-${request.toChain.chainId}:${request.to.symbol}`;
  const errors = error.toolErrors(describeAction(request));
  if (errors.length === 0)
    return { filteredOut: [{ overallPath, reason: `${error.tool} is not allowed` }], failed: [] };
  return { filteredOut: [], failed: [{ overallPath, subpaths: { [overallPath]: errors } }] };
}
