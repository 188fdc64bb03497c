import { z } from "@hono/zod-openapi";
import { checkReadiness } from "../catalog/check-readiness.ts";
import { defineRoute } from "../http/define-route.ts";

const Dependency = z.object({
  name: z.string(),
  ok: z.boolean(),
  latency_ms: z.int(),
  code: z.string().nullable(),
});

export const healthReady = defineRoute({
  operationId: "health.ready",
  method: "get",
  path: "/health/ready",
  summary: "Tell which dependencies answer",
  tag: "Service",
  access: "public",
  cache: "no-store",
  response: {
    schema: z
      .object({ status: z.enum(["ok", "degraded"]), dependencies: z.array(Dependency) })
      .openapi("Readiness"),
    description: "A row per dependency",
  },
  errors: [],
  handler: async (ctx) => {
    const dependencies = await checkReadiness(ctx);
    const status: "ok" | "degraded" = dependencies.every(({ ok }) => ok) ? "ok" : "degraded";
    return { status, dependencies };
  },
});
