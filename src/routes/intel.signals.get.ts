import { z } from "@hono/zod-openapi";
import { defineRoute } from "../http/define-route.ts";
import { SignalDetail } from "../schemas/signal.ts";
import { getSignal } from "../signals/list-signals.ts";

const SignalId = z
  .string()
  .regex(/^sig_[0-9a-f]{32}$/, "must be a signal id")
  .openapi({ type: "string", pattern: "^sig_[0-9a-f]{32}$" });

export const intelSignalsGet = defineRoute({
  operationId: "intel.signals.get",
  method: "get",
  path: "/v1/intel/signals/{signal_id}",
  summary: "Read one signal",
  description: "With the facts that the rule decided on, and how the incident evolved.",
  tag: "Signals",
  access: "public",
  cache: { sMaxAge: 15, staleWhileRevalidate: 60 },
  params: z.object({ signal_id: SignalId }),
  response: { schema: SignalDetail, description: "The signal" },
  errors: ["signal_not_found", "store_unavailable"],
  handler: (ctx, { params }) => getSignal(ctx, params.signal_id),
});
