import { composeApp, contextOfIsolate } from "./app.ts";
import { edgeCacheOf } from "./config/cloudflare-bindings.ts";
import type { Context } from "./context.ts";

const app = composeApp();

/** Returns a function that creates a context for one cron job run or queue message. */
const contextsOf = (env: Record<string, unknown>, ctx: ExecutionContext) => (): Context => {
  const waitUntil = (promise: Promise<unknown>): void => ctx.waitUntil(promise);
  const requestId = crypto.randomUUID();
  return contextOfIsolate(env, {
    requestId: () => requestId,
    clientAddress: "unknown",
    edgeCache: () => edgeCacheOf(ctx),
    waitUntil,
  });
};

export default {
  fetch: (request, env, ctx) => app.fetch(request, env, ctx),
  // Imported on demand, because isolates that only serve HTTP requests do not need the jobs.
  queue: async (batch, env, ctx) => {
    const { handleMessages } = await import("./jobs.ts");
    await handleMessages(batch, contextsOf(env, ctx));
  },
  scheduled: async (controller, env, ctx) => {
    const { handleCron } = await import("./jobs.ts");
    await handleCron(controller.cron, contextsOf(env, ctx));
  },
} satisfies ExportedHandler<Record<string, unknown>>;
