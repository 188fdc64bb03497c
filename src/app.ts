import { getPath } from "hono/utils/url";
import { createContext, createRuntime, type Runtime } from "./context.ts";
import { createApp } from "./http/create-app.ts";
import type { AnyRoute } from "./http/define-route.ts";
import type { ContextFactory } from "./http/request-scope.ts";
import { onceImported } from "./lib/once.ts";
import { mountDocsPages } from "./openapi/docs-pages.ts";

/** The isolate's runtime. The first call creates it, because bindings are not available earlier. */
let runtime: Runtime | null = null;

/**
 * Creates the context of one HTTP request, cron job run or queue message. All contexts of an isolate share one runtime.
 * Throws `internal` if the deployment's configuration is invalid.
 */
export const contextOfIsolate: ContextFactory = (bindings, request) => {
  runtime ??= createRuntime(bindings);
  return createContext(runtime, request);
};

/** A group of API routes whose module is loaded on the first request to one of their paths. */
interface RouteGroup {
  /** Path prefixes that belong to this group. */
  prefixes: readonly string[];
  load(): Promise<readonly AnyRoute[]>;
}

/** All route groups of the API, in the order of the OpenAPI document. No group is loaded when an isolate starts. */
const routeGroups: readonly RouteGroup[] = [
  { prefixes: ["/v1/vaults"], load: async () => (await import("./routes/vaults-routes.ts")).vaultRoutes },
  { prefixes: ["/v1/quote"], load: async () => (await import("./routes/quotes-routes.ts")).quoteRoutes },
  { prefixes: ["/v1/status"], load: async () => (await import("./routes/status-routes.ts")).statusRoutes },
  {
    prefixes: ["/v1/deposits"],
    load: async () => (await import("./routes/deposits-routes.ts")).depositRoutes,
  },
  {
    prefixes: ["/v1/withdraw"],
    load: async () => (await import("./routes/withdrawals-routes.ts")).withdrawalRoutes,
  },
  {
    prefixes: ["/v1/positions"],
    load: async () => (await import("./routes/positions-routes.ts")).positionRoutes,
  },
  { prefixes: ["/v1/actions"], load: async () => (await import("./routes/actions-routes.ts")).actionRoutes },
  { prefixes: ["/v1/intel"], load: async () => (await import("./routes/intel-routes.ts")).intelRoutes },
  {
    prefixes: ["/v1/applications"],
    load: async () => (await import("./routes/applications-routes.ts")).applicationRoutes,
  },
  {
    prefixes: ["/v1/partners"],
    load: async () => (await import("./routes/partners-routes.ts")).partnerRoutes,
  },
  {
    prefixes: ["/v1/admin/applications"],
    load: async () => (await import("./routes/admin-applications-routes.ts")).adminApplicationRoutes,
  },
  {
    prefixes: ["/v1/admin/vaults"],
    load: async () => (await import("./routes/admin-vaults-routes.ts")).adminVaultRoutes,
  },
  {
    prefixes: ["/v1/admin/audit"],
    load: async () => (await import("./routes/admin-audit-routes.ts")).adminAuditRoutes,
  },
  { prefixes: ["/v1/chains"], load: async () => (await import("./routes/chains-routes.ts")).chainRoutes },
  { prefixes: ["/v1/bridges"], load: async () => (await import("./routes/bridges-routes.ts")).bridgeRoutes },
  { prefixes: ["/v1/prices"], load: async () => (await import("./routes/prices-routes.ts")).priceRoutes },
  { prefixes: ["/v1/tokens"], load: async () => (await import("./routes/tokens-routes.ts")).tokenRoutes },
  { prefixes: ["/health"], load: async () => (await import("./routes/health-routes.ts")).healthRoutes },
];

/** Loads all route groups and returns every route of the API, in the order of the OpenAPI document. */
export async function loadRoutes(): Promise<readonly AnyRoute[]> {
  const routes: AnyRoute[] = [];
  for (const { load } of routeGroups) routes.push(...(await load()));
  return routes;
}

/** What the Workers runtime calls for HTTP requests. Errors that handlers throw become error responses. */
export interface App {
  fetch(request: Request, env: Record<string, unknown>, ctx: ExecutionContext): Promise<Response>;
}

/**
 * Creates the app. A route group is loaded on the first request to a path with one of its prefixes. Every other path
 * goes to the documentation, home page and texts. If it is none of them, a browser gets the console with status 404, and
 * any other caller `route_not_found`.
 */
export function composeApp(makeContext: ContextFactory = contextOfIsolate): App {
  const docsPages = createApp([], makeContext);
  mountDocsPages(docsPages);
  const groups = routeGroups.map(({ prefixes, load }) => ({
    prefixes,
    app: onceImported(load, (routes) => createApp(routes, makeContext)),
  }));
  return {
    async fetch(request, env, ctx) {
      // The same decoding as hono's router, so that both see the same path.
      const path = getPath(request);
      // The router takes the last of two slashes for a trailing one.
      const named = path.endsWith("//") ? [] : groups;
      const group = named.find(({ prefixes }) => prefixes.some((prefix) => path.startsWith(prefix)));
      const app = group === undefined ? docsPages : await group.app();
      return app.fetch(request, env, ctx);
    },
  };
}
