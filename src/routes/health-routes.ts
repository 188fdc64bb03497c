import * as z from "zod";
import { checkDetails } from "../health/check-health-details.ts";
import { type Readiness, readReadiness } from "../health/check-readiness.ts";
import { type AnyRoute, defineRoute, Reply } from "../http/define-route.ts";
import { DependencyHealth, HealthDetails, IndexLag } from "../schemas/health-schema.ts";

const healthLive = defineRoute({
  operationId: "health.live",
  method: "get",
  path: "/health",
  summary: "Check liveness",
  description: "Responds without contacting the database, Redis or the chains.",
  tag: "Service",
  access: "public",
  limit: null,
  cache: "no-store",
  ignoresUnknownQuery: true,
  response: {
    schema: z.object({ status: z.literal("ok").meta({ description: "Always `ok`." }) }),
    description: "The service is running",
  },
  errors: [],
  handler: () => ({ status: "ok" as const }),
});

const healthReady = defineRoute({
  operationId: "health.ready",
  method: "get",
  path: "/health/ready",
  summary: "Check readiness",
  description:
    "Answers 503 with the same body when deposits cannot be built: the database or every chain does not respond. The state is at most five seconds old.",
  tag: "Service",
  access: "public",
  cache: "no-store",
  ignoresUnknownQuery: true,
  response: {
    schema: z
      .object({
        status: z.enum(["ok", "degraded"]).meta({
          description: "`ok` if every dependency responded, otherwise `degraded`.",
        }),
        dependencies: z
          .array(DependencyHealth)
          .meta({ description: "State of the database, Redis and each chain." }),
        indexes: z.array(IndexLag).meta({
          description: "Progress of indexing deposits and withdrawals, for each chain.",
        }),
      })
      .meta({ id: "Readiness", description: "State of the service's dependencies." }),
    description: "State of every dependency and index",
    unavailable: "Builds cannot work, because the database or every chain does not respond",
  },
  errors: [],
  handler: async (ctx) => {
    const { dependencies, indexes } = await readReadiness(ctx);
    const works = canBuild(dependencies);
    // Without any chain, every dependency responds and still nothing can be built.
    const status: "ok" | "degraded" = works && dependencies.every(({ ok }) => ok) ? "ok" : "degraded";
    const state = { status, dependencies, indexes };
    return works ? state : new Reply(state, { unavailable: true, headers: { "retry-after": "5" } });
  },
});

/** Returns true if deposits can be built: Postgres and at least one chain respond. Builds do not require Redis. */
function canBuild(dependencies: readonly Readiness[]): boolean {
  const works = (name: string): boolean => dependencies.some((one) => one.name.startsWith(name) && one.ok);
  return works("database") && works("chain:");
}

const healthDetails = defineRoute({
  operationId: "health.details",
  method: "get",
  path: "/health/details",
  summary: "Read the state of jobs and chains",
  description:
    "Returns codes and figures only: dependencies, how far each chain is indexed and followed, the deposits that wait, and the last run of each background job.",
  tag: "Service",
  access: "public",
  cache: "no-store",
  ignoresUnknownQuery: true,
  response: { schema: HealthDetails, description: "State of the service" },
  errors: [],
  handler: checkDetails,
});

/**
 * Routes that report whether the service is running, whether its dependencies respond, and the state of indexes and
 * jobs.
 */
export const healthRoutes: readonly AnyRoute[] = [healthLive, healthReady, healthDetails];
