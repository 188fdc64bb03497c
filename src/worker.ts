import { composeApp, contextOfIsolate } from "./app.ts";
import type { Context } from "./context.ts";
import { jobsByCron } from "./jobs/schedule.ts";
import { handleMessages } from "./queued.ts";
import { runJobs } from "./scheduled.ts";

const app = composeApp();

/** Makes contexts for work that no request asked for. */
const contextsOf = (env: Record<string, unknown>, ctx: ExecutionContext) => (): Context => {
  const waitUntil = (promise: Promise<unknown>): void => ctx.waitUntil(promise);
  return contextOfIsolate(env, { requestId: crypto.randomUUID(), clientAddress: "unknown", waitUntil });
};

export default {
  fetch: (request, env, ctx) => app.fetch(request, env, ctx),
  queue: (batch, env, ctx) => handleMessages(batch, contextsOf(env, ctx)),
  scheduled: (controller, env, ctx) => runJobs(jobsByCron[controller.cron] ?? [], contextsOf(env, ctx)),
} satisfies ExportedHandler<Record<string, unknown>>;
