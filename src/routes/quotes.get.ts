import { BUILD_DEADLINE_MS } from "../deposits/build.ts";
import { defineRoute } from "../http/define-route.ts";
import { getQuote } from "../quotes/get-quote.ts";
import { BuildInput, Quote } from "../schemas/quote.ts";
import { buildErrors } from "./build-errors.ts";
import { assertListedBridge } from "./preferred-bridge.ts";

export const quotesGet = defineRoute({
  operationId: "quotes.get",
  method: "post",
  path: "/v1/quote",
  summary: "Quote a deposit",
  description: "What a deposit would give, from a simulation on the head state. Nothing is tracked.",
  tag: "Deposits",
  access: "public",
  cache: "no-store",
  deadlineMs: BUILD_DEADLINE_MS,
  body: BuildInput,
  response: { schema: Quote, description: "The quote" },
  errors: buildErrors,
  handler: async (ctx, { body }) => {
    await assertListedBridge(ctx, body);
    return getQuote(ctx, body);
  },
});
