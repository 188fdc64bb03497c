import { createContext, createRuntime, type Runtime } from "./context.ts";
import { createApp, refuseOtherMethods } from "./http/create-app.ts";
import type { AnyRoute } from "./http/define-route.ts";
import { mountPages } from "./http/pages.ts";
import type { ContextFactory } from "./http/request-scope.ts";
import { onceLoaded } from "./lib/once.ts";
import { publicRoutes, serviceRoutes } from "./parts/public.ts";

/** The isolate's runtime, made by its first request: bindings are not there before. */
let runtime: Runtime | null = null;

/** Binds the isolate's runtime to one request or job run. Throws `internal` naming a missing or wrong variable. */
export const contextOfIsolate: ContextFactory = (bindings, request) => {
  runtime ??= createRuntime(bindings);
  return createContext(runtime, request);
};

const loadPartnerRoutes = async () => (await import("./parts/partners.ts")).partnerRoutes;
const loadAdminRoutes = async () => (await import("./parts/admin.ts")).adminRoutes;

/** Operations that few isolates are asked for, by the beginnings of their paths. */
const rareParts = [
  { prefixes: ["/v1/partners/", "/v1/applications/"], load: loadPartnerRoutes },
  { prefixes: ["/v1/admin/"], load: loadAdminRoutes },
] as const;

/** Every operation of the API, in the order of the document. */
export async function loadRoutes(): Promise<readonly AnyRoute[]> {
  return [...publicRoutes, ...(await loadPartnerRoutes()), ...(await loadAdminRoutes()), ...serviceRoutes];
}

/** The OpenAPI 3.1 document of every operation, for a deployment at this address. */
export async function loadDocument(publicUrl: string) {
  const { openApiDocument } = await import("./http/openapi.ts");
  return openApiDocument(await loadRoutes(), publicUrl);
}

/** What answers requests. */
export interface App {
  fetch(request: Request, env: Record<string, unknown>, ctx: ExecutionContext): Promise<Response>;
}

/** Composes the app: what is asked for often at once, each other part when its first request comes. */
export function composeApp(makeContext: ContextFactory = contextOfIsolate): App {
  const main = createApp([...publicRoutes, ...serviceRoutes], makeContext);
  mountPages(main, loadDocument);
  refuseOtherMethods(main);
  const parts = rareParts.map(({ prefixes, load }) => ({
    prefixes,
    open: onceLoaded(load, (routes) => {
      const app = createApp(routes, makeContext);
      refuseOtherMethods(app);
      return app;
    }),
  }));
  return {
    async fetch(request, env, ctx) {
      const { pathname } = new URL(request.url);
      const part = parts.find(({ prefixes }) => prefixes.some((prefix) => pathname.startsWith(prefix)));
      const app = part === undefined ? main : await part.open();
      return app.fetch(request, env, ctx);
    },
  };
}
