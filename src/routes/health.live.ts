import { z } from "@hono/zod-openapi";
import { defineRoute } from "../http/define-route.ts";

export const healthLive = defineRoute({
  operationId: "health.live",
  method: "get",
  path: "/health",
  summary: "Tell that the service runs",
  description: "Touches nothing outside.",
  tag: "Service",
  access: "public",
  cache: "no-store",
  response: { schema: z.object({ status: z.literal("ok") }), description: "It runs" },
  errors: [],
  handler: () => ({ status: "ok" as const }),
});
