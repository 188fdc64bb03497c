import { z } from "@hono/zod-openapi";
import { checkChainIndexes, checkReadiness } from "../catalog/check-readiness.ts";
import { type AnyRoute, defineRoute } from "../http/define-route.ts";

const healthLive = defineRoute({
  operationId: "health.live",
  method: "get",
  path: "/health",
  summary: "Tell that the service runs",
  description: "Touches nothing outside.",
  tag: "Service",
  access: "public",
  limit: null,
  cache: "no-store",
  response: { schema: z.object({ status: z.literal("ok") }), description: "It runs" },
  errors: [],
  handler: () => ({ status: "ok" as const }),
});

const DependencyHealth = z.object({
  name: z.string(),
  ok: z.boolean(),
  latency_ms: z.int(),
  code: z.string().nullable(),
});

const IndexLag = z.object({
  chain_id: z.int(),
  head: z.int().nullable(),
  indexed: z.int().nullable(),
  lag: z.int().nullable().openapi({ description: "Blocks from the last indexed one to the head" }),
  error: z.string().nullable().openapi({ description: "The code that the last run ended with" }),
});

const healthReady = defineRoute({
  operationId: "health.ready",
  method: "get",
  path: "/health/ready",
  summary: "Tell which dependencies answer",
  tag: "Service",
  access: "public",
  cache: "no-store",
  response: {
    schema: z
      .object({
        status: z.enum(["ok", "degraded"]),
        dependencies: z.array(DependencyHealth),
        indexes: z.array(IndexLag),
      })
      .openapi("Readiness"),
    description: "A row per dependency",
  },
  errors: [],
  handler: async (ctx) => {
    const [dependencies, indexes] = await Promise.all([checkReadiness(ctx), checkChainIndexes(ctx)]);
    const status: "ok" | "degraded" = dependencies.every(({ ok }) => ok) ? "ok" : "degraded";
    return { status, dependencies, indexes };
  },
});

/** Liveness and readiness. */
export const healthRoutes: readonly AnyRoute[] = [healthLive, healthReady];
