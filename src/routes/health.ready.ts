import { z } from "@hono/zod-openapi";
import { checkIndexes } from "../catalog/check-indexes.ts";
import { checkReadiness } from "../catalog/check-readiness.ts";
import { defineRoute } from "../http/define-route.ts";

const Dependency = z.object({
  name: z.string(),
  ok: z.boolean(),
  latency_ms: z.int(),
  code: z.string().nullable(),
});

const Index = z.object({
  chain_id: z.int(),
  head: z.int().nullable(),
  indexed: z.int().nullable(),
  lag: z.int().nullable().openapi({ description: "Blocks from the last indexed one to the head" }),
  error: z.string().nullable().openapi({ description: "The code that the last run ended with" }),
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
      .object({
        status: z.enum(["ok", "degraded"]),
        dependencies: z.array(Dependency),
        indexes: z.array(Index),
      })
      .openapi("Readiness"),
    description: "A row per dependency",
  },
  errors: [],
  handler: async (ctx) => {
    const [dependencies, indexes] = await Promise.all([checkReadiness(ctx), checkIndexes(ctx)]);
    const status: "ok" | "degraded" = dependencies.every(({ ok }) => ok) ? "ok" : "degraded";
    return { status, dependencies, indexes };
  },
});
