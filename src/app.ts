import { getPath } from "hono/utils/url";
import { createContext, createRuntime, type Runtime } from "./context.ts";
import { createApp } from "./http/create-app.ts";
import type { AnyRoute } from "./http/define-route.ts";
import { mountPages } from "./http/pages.ts";
import type { ContextFactory } from "./http/request-scope.ts";
import { onceLoaded } from "./lib/once.ts";

/** The isolate's runtime, made by its first request: bindings are not there before. */
let runtime: Runtime | null = null;

/** Binds the isolate's runtime to one request or job run. Throws `internal` naming a missing or wrong variable. */
export const contextOfIsolate: ContextFactory = (bindings, request) => {
  runtime ??= createRuntime(bindings);
  return createContext(runtime, request);
};

/** Operations whose code is evaluated together, when one of them is first asked for. */
interface Part {
  /** What the paths of its operations begin with. */
  prefixes: readonly string[];
  load(): Promise<readonly AnyRoute[]>;
}

/** Every operation of the API, in the order of the document. An isolate starts with none of them. */
const parts: readonly Part[] = [
  { prefixes: ["/v1/vaults"], load: async () => (await import("./parts/vaults.ts")).vaultRoutes },
  {
    prefixes: ["/v1/quote", "/v1/status", "/v1/deposits"],
    load: async () => (await import("./parts/deposits.ts")).depositRoutes,
  },
  { prefixes: ["/v1/positions"], load: async () => (await import("./parts/positions.ts")).positionRoutes },
  { prefixes: ["/v1/intel"], load: async () => (await import("./parts/intel.ts")).intelRoutes },
  {
    prefixes: ["/v1/partners", "/v1/applications"],
    load: async () => (await import("./parts/partners.ts")).partnerRoutes,
  },
  { prefixes: ["/v1/admin"], load: async () => (await import("./parts/admin.ts")).adminRoutes },
  {
    prefixes: ["/v1/chains", "/v1/bridges", "/v1/tokens", "/health"],
    load: async () => (await import("./parts/service.ts")).serviceRoutes,
  },
];

/** Every operation of the API, in the order of the document. */
export async function loadRoutes(): Promise<readonly AnyRoute[]> {
  const routes: AnyRoute[] = [];
  for (const { load } of parts) routes.push(...(await load()));
  return routes;
}

/** What answers requests. */
export interface App {
  fetch(request: Request, env: Record<string, unknown>, ctx: ExecutionContext): Promise<Response>;
}

/** Composes the app: the pages at once, each part when its first request comes. */
export function composeApp(makeContext: ContextFactory = contextOfIsolate): App {
  const pages = createApp([], makeContext);
  mountPages(pages);
  const opened = parts.map(({ prefixes, load }) => ({
    prefixes,
    open: onceLoaded(load, (routes) => createApp(routes, makeContext)),
  }));
  return {
    async fetch(request, env, ctx) {
      // As the router reads it: with escaped letters decoded.
      const path = getPath(request);
      const part = opened.find(({ prefixes }) => prefixes.some((prefix) => path.startsWith(prefix)));
      const app = part === undefined ? pages : await part.open();
      return app.fetch(request, env, ctx);
    },
  };
}
