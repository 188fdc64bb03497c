import { z } from "zod";
import type { BridgeSource } from "../../bridge/bridge-source.ts";
import { balanceOf } from "../../bridge/node-requests.ts";
import { LifiRefusal, NoQuote } from "./errors.ts";
import {
  AddressText,
  AmountText,
  ChainRef,
  Integrator,
  parse,
  Slippage,
  toQuoteRequest,
} from "./parse-request.ts";
import type { QuoteRequest } from "./quote-request.ts";
import { planRoute, type RoutePlan } from "./route-plan.ts";
import { buildStep, describeAction } from "./step.ts";

const Keys = z
  .union([z.string(), z.array(z.string())])
  .default([])
  .transform((keys) => (Array.isArray(keys) ? keys : [keys]).flatMap((key) => key.split(",")))
  .transform((keys) => keys.filter((key) => key !== "" && key !== "[]"));
const Flag = z.enum(["true", "false"]).default("false");

const QuoteQuery = z.looseObject({
  fromChain: ChainRef,
  toChain: ChainRef,
  fromToken: z.string(),
  toToken: z.string(),
  fromAmount: AmountText,
  fromAddress: AddressText,
  toAddress: AddressText.optional(),
  slippage: z.coerce.number().pipe(Slippage).optional(),
  integrator: Integrator.optional(),
  allowBridges: Keys,
  denyBridges: Keys,
  allowExchanges: Keys,
  denyExchanges: Keys,
  skipSimulation: Flag,
});

/** `GET /quote`. Throws the API's errors: `1011`, `1003`, `1002`, `1001`. */
export async function quote(
  { bridgeChains, modeOf }: Pick<BridgeSource, "bridgeChains" | "modeOf">,
  query: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const fields = parse(QuoteQuery, query);
  const request = toQuoteRequest(bridgeChains, {
    ...fields,
    bridges: { allow: fields.allowBridges, deny: fields.denyBridges },
    exchanges: { allow: fields.allowExchanges, deny: fields.denyExchanges },
    calls: [],
    defaultIntegrator: "lifi-api",
  });
  const plan = planRouteOrThrow(request);
  if (fields.skipSimulation === "false") await refuseEmptyWallet(request);
  return buildStep(plan, modeOf("lifi"));
}

/** Plans a route. Throws `1002 NoQuoteError` with the tool's reason. */
export function planRouteOrThrow(request: QuoteRequest): RoutePlan {
  try {
    return planRoute(request);
  } catch (error) {
    throw error instanceof NoQuote ? error.toRefusal(describeAction(request)) : error;
  }
}

/** Throws if the sender's balance is too low, because LI.FI simulates the transaction unless that is disabled. */
async function refuseEmptyWallet({ fromChain, from, fromAddress, amount }: QuoteRequest): Promise<void> {
  const held = await balanceOf(fromChain.url, { token: from.address, owner: fromAddress });
  if (held >= amount) return;
  const message = "None of the available routes could successfully generate a tx";
  throw new LifiRefusal({ status: 400, code: 1001, message });
}
