import { randomBytes } from "node:crypto";
import { zeroAddress } from "viem";
import { z } from "zod";
import type { World } from "../../bridge/world.ts";
import type { Ask } from "./ask.ts";
import { GAS_PRICE, gasOf } from "./costs.ts";
import { describeToken, usd } from "./describe.ts";
import { NoQuote } from "./errors.ts";
import { type Plan, planMoves } from "./plan.ts";
import { AddressText, AmountText, Integrator, parse, Slippage, toAsk } from "./request.ts";
import { describeAction, describeStep } from "./step.ts";

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

/** `POST /advanced/routes`: one route per tool, and the reasons of the tools without one. Throws `1011`, `1003`. */
export function listRoutes(world: World, body: unknown): unknown {
  const fields = parse(Body, body);
  const ask = toAsk(world, {
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
  const { plans, refusals } = planMoves(ask);
  const routes = plans.map(describeRoute);
  if (routes.length > 0) return { routes, unavailableRoutes: { filteredOut: [], failed: [] } };
  return { routes, unavailableRoutes: unavailable(ask, refusals[0] ?? new NoQuote("across", null)) };
}

function describeRoute(plan: Plan): unknown {
  const { ask } = plan;
  const { diamond } = ask.fromChain.contracts;
  const native = ask.fromChain.tokens.find(({ address }) => address === zeroAddress);
  return {
    id: `0x${randomBytes(32).toString("hex")}`,
    fromChainId: ask.fromChain.chainId,
    fromAmountUSD: usd(ask.from, ask.amount),
    fromAmount: ask.amount.toString(),
    fromToken: describeToken(ask.from),
    fromAddress: ask.fromAddress,
    toChainId: ask.toChain.chainId,
    toAmountUSD: usd(ask.to, plan.toAmount),
    toAmount: plan.toAmount.toString(),
    toAmountMin: plan.toAmountMin.toString(),
    toToken: describeToken(ask.to),
    toAddress: ask.toAddress,
    gasCostUSD: native === undefined ? "0" : usd(native, gasOf(plan) * GAS_PRICE),
    containsSwitchChain: false,
    steps: [describeStep(plan, { to: diamond, spender: diamond, message: "0x" })],
    tags: ["RECOMMENDED", "CHEAPEST", "FASTEST"],
  };
}

function unavailable(ask: Ask, error: NoQuote): unknown {
  const overallPath = `${ask.fromChain.chainId}:${ask.from.symbol}-${error.tool}-${ask.toChain.chainId}:${ask.to.symbol}`;
  const errors = error.toolErrors(describeAction(ask));
  if (errors.length === 0)
    return { filteredOut: [{ overallPath, reason: `${error.tool} is not allowed` }], failed: [] };
  return { filteredOut: [], failed: [{ overallPath, subpaths: { [overallPath]: errors } }] };
}
