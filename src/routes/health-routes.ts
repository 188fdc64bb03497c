import * as z from "zod";
import { checkChainIndexes, checkReadiness } from "../catalog/check-readiness.ts";
import { type AnyRoute, defineRoute } from "../http/define-route.ts";

const healthLive = defineRoute({
  operationId: "health.live",
  method: "get",
  path: "/health",
  summary: "Check liveness",
  description: "Answers without contacting any dependency.",
  tag: "Service",
  access: "public",
  limit: null,
  cache: "no-store",
  response: {
    schema: z.object({ status: z.literal("ok").meta({ description: "Always `ok`." }) }),
    description: "The service is running",
  },
  errors: [],
  handler: () => ({ status: "ok" as const }),
});

const DependencyHealth = z.object({
  name: z.string().meta({
    description: "Name of the dependency: `database`, `redis` or `chain:<chain_id>`.",
    example: "chain:8453",
  }),
  ok: z.boolean().meta({ description: "Whether the dependency answered.", example: true }),
  latency_ms: z.int().meta({ description: "Response time in milliseconds.", example: 12 }),
  code: z.string().nullable().meta({
    description: "Error code of the failure; `null` when there was none.",
    example: "upstream_timeout",
  }),
});

const IndexLag = z.object({
  chain_id: z.int().meta({ description: "EIP-155 chain id.", example: 8453 }),
  head: z.int().nullable().meta({
    description: "Newest block of the chain; `null` when it did not answer.",
    example: 41250000,
  }),
  indexed: z.int().nullable().meta({
    description: "Last block indexed; `null` when none is.",
    example: 41249990,
  }),
  lag: z.int().nullable().meta({
    description: "Number of blocks from the last one indexed to the head; `null` when either is unknown.",
    example: 10,
  }),
  error: z.string().nullable().meta({
    description:
      "Error code that the last indexing run ended with; `null` when it succeeded or there was none.",
    example: "upstream_timeout",
  }),
});

const healthReady = defineRoute({
  operationId: "health.ready",
  method: "get",
  path: "/health/ready",
  summary: "Check readiness",
  tag: "Service",
  access: "public",
  cache: "no-store",
  response: {
    schema: z
      .object({
        status: z.enum(["ok", "degraded"]).meta({
          description: "`ok` when every dependency answered, otherwise `degraded`.",
        }),
        dependencies: z.array(DependencyHealth).meta({ description: "State of the stores and chains." }),
        indexes: z.array(IndexLag).meta({
          description: "How far deposits and withdrawals of each chain are indexed.",
        }),
      })
      .meta({ id: "Readiness", description: "State of the service's dependencies." }),
    description: "State of every dependency and index",
  },
  errors: [],
  handler: async (ctx) => {
    const [dependencies, indexes] = await Promise.all([checkReadiness(ctx), checkChainIndexes(ctx)]);
    const status: "ok" | "degraded" = dependencies.every(({ ok }) => ok) ? "ok" : "degraded";
    return { status, dependencies, indexes };
  },
});

/** Routes of liveness and readiness. */
export const healthRoutes: readonly AnyRoute[] = [healthLive, healthReady];
