import { composeApp } from "./app.ts";

const app = composeApp();

export default {
  fetch: (request, env, ctx) => app.fetch(request, env, ctx),
} satisfies ExportedHandler<Record<string, unknown>>;
