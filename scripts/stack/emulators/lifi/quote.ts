import { z } from "zod";
import { balanceOf } from "../../bridge/node.ts";
import type { World } from "../../bridge/world.ts";
import type { Ask } from "./ask.ts";
import { LifiRefusal, NoQuote } from "./errors.ts";
import { type Plan, planMove } from "./plan.ts";
import { AddressText, AmountText, ChainRef, Integrator, parse, Slippage, toAsk } from "./request.ts";
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
export async function quote(world: World, query: Readonly<Record<string, unknown>>): Promise<unknown> {
  const fields = parse(QuoteQuery, query);
  const ask = toAsk(world, {
    ...fields,
    bridges: { allow: fields.allowBridges, deny: fields.denyBridges },
    exchanges: { allow: fields.allowExchanges, deny: fields.denyExchanges },
    calls: [],
    defaultIntegrator: "lifi-api",
  });
  const plan = planOrRefuse(ask);
  if (fields.skipSimulation === "false") await refuseEmptyWallet(ask);
  return buildStep(plan);
}

/** Plans a route. Throws `1002 NoQuoteError` with the tool's reason. */
export function planOrRefuse(ask: Ask): Plan {
  try {
    return planMove(ask);
  } catch (error) {
    throw error instanceof NoQuote ? error.toRefusal(describeAction(ask)) : error;
  }
}

/** Unless disabled, LI.FI simulates the transaction for the sender and refuses one with an insufficient balance. */
async function refuseEmptyWallet({ fromChain, from, fromAddress, amount }: Ask): Promise<void> {
  const held = await balanceOf(fromChain.url, { token: from.address, owner: fromAddress });
  if (held >= amount) return;
  const message = "None of the available routes could successfully generate a tx";
  throw new LifiRefusal({ status: 400, code: 1001, message });
}
