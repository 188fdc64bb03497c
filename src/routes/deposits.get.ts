import { z } from "@hono/zod-openapi";
import { showDeposit } from "../deposits/show.ts";
import { defineRoute } from "../http/define-route.ts";
import { TrackingIdInput } from "../schemas/primitives.ts";
import { Deposit } from "../schemas/status.ts";

export const depositsGet = defineRoute({
  operationId: "deposits.get",
  method: "get",
  path: "/v1/deposits/{tracking_id}",
  summary: "Read a deposit",
  tag: "Deposits",
  access: "public",
  cache: "no-store",
  params: z.object({ tracking_id: TrackingIdInput }),
  response: { schema: Deposit, description: "The deposit and what the user signs next" },
  errors: ["deposit_not_found", "store_unavailable"],
  handler: (ctx, { params }) => showDeposit(ctx, params.tracking_id),
});
