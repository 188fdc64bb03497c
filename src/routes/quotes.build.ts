import { z } from "@hono/zod-openapi";
import { BUILD_DEADLINE_MS } from "../deposits/build.ts";
import { buildDepositOnce } from "../deposits/build-once.ts";
import { defineRoute } from "../http/define-route.ts";
import { BuildInput, BuiltDeposit } from "../schemas/quote.ts";
import { buildErrors } from "./build-errors.ts";
import { assertListedBridge } from "./preferred-bridge.ts";

export const quotesBuild = defineRoute({
  operationId: "quotes.build",
  method: "post",
  path: "/v1/quote/build",
  summary: "Build a deposit",
  description: "The transaction that deposits, simulated from the user's address before it is returned.",
  tag: "Deposits",
  access: "public",
  cache: "no-store",
  deadlineMs: BUILD_DEADLINE_MS,
  headers: z.object({
    "idempotency-key": z.string().min(1).max(255).optional().openapi({
      description: "The same request under the same key within a day gives the same answer",
    }),
  }),
  body: BuildInput,
  response: { schema: BuiltDeposit, description: "The transaction, its approval and its tracking id" },
  errors: [...buildErrors, "idempotency_conflict", "quote_expired"],
  handler: async (ctx, { headers, body }) => {
    await assertListedBridge(ctx, body);
    return buildDepositOnce(ctx, { input: body, key: headers["idempotency-key"] ?? null });
  },
});
