import { z } from "@hono/zod-openapi";
import { abandonDeposit } from "../deposits/abandon.ts";
import { toWireDeposit } from "../deposits/deposit-wire.ts";
import { defineRoute } from "../http/define-route.ts";
import { TrackingIdInput } from "../schemas/primitives.ts";
import { Deposit } from "../schemas/status.ts";

export const depositsAbandon = defineRoute({
  operationId: "deposits.abandon",
  method: "patch",
  path: "/v1/deposits/{tracking_id}/abandon",
  summary: "Abandon a deposit",
  description: "Hides a deposit that was never sent; should the chain show it all the same, it is back.",
  tag: "Deposits",
  access: "public",
  cache: "no-store",
  params: z.object({ tracking_id: TrackingIdInput }),
  response: { schema: Deposit, description: "The deposit" },
  errors: ["deposit_not_found", "deposit_state", "store_unavailable"],
  handler: async (ctx, { params }) => toWireDeposit(await abandonDeposit(ctx, params.tracking_id), ctx.now()),
});
