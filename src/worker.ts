import { composeApp, contextOfIsolate } from "./app.ts";
import { handleMessages } from "./queued.ts";

const app = composeApp();

export default {
  fetch: (request, env, ctx) => app.fetch(request, env, ctx),
  queue: (batch, env, ctx) =>
    handleMessages(batch, () => {
      const waitUntil = (promise: Promise<unknown>): void => ctx.waitUntil(promise);
      return contextOfIsolate(env, { requestId: crypto.randomUUID(), clientAddress: "unknown", waitUntil });
    }),
} satisfies ExportedHandler<Record<string, unknown>>;
