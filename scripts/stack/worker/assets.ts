import { z } from "zod";

/** The static assets in wrangler's options of a Worker, as far as used here. */
const Assets = z.object({
  directory: z.string(),
  binding: z.string(),
  routerConfig: z.object({ static_routing: z.object({ asset_worker: z.array(z.string()) }) }),
  assetConfig: z.unknown(),
});

type WorkerOptions = Readonly<Record<string, unknown>>;

/**
 * Moves a Worker's static assets into a second Worker, which gets the paths that wrangler.toml routes to assets first
 * and stays reachable through the same binding. A Worker without assets is unchanged.
 *
 * In production the platform routes each request to one of them. Miniflare's router is two more Workers in JavaScript
 * in front of every request, which cost more than a warm read of ours.
 */
export function withAssetsBeside(worker: WorkerOptions): WorkerOptions[] {
  const { assets: given, ...own } = worker;
  if (given === undefined) return [worker];
  const { directory, binding, routerConfig, assetConfig } = Assets.parse(given);
  const name = `${worker["name"]}-assets`;
  const services = typeof own["serviceBindings"] === "object" ? own["serviceBindings"] : {};
  const beside = {
    name,
    modules: true,
    script: scriptOf({ binding, paths: routerConfig.static_routing.asset_worker }),
    compatibilityDate: own["compatibilityDate"],
    routes: routerConfig.static_routing.asset_worker.map(routeOf),
    serviceBindings: { PROGRAM: worker["name"] },
    assets: { directory, binding, assetConfig, routerConfig: { has_user_worker: false } },
  };
  return [{ ...own, serviceBindings: { ...services, [binding]: name } }, beside];
}

/** Returns the Worker of assets. Requests that only begin like a page's path are forwarded to the other Worker. */
function scriptOf({ binding, paths }: { binding: string; paths: readonly string[] }): string {
  const folders = paths.filter((path) => path.endsWith("*")).map((path) => path.slice(0, -1));
  return `const folders = ${JSON.stringify(folders)};
    export default {
      async fetch(request, env) {
        const answer = await env.${binding}.fetch(request.clone());
        const { pathname } = new URL(request.url);
        const own = answer.status !== 404 || folders.some((folder) => pathname.startsWith(folder));
        return own ? answer : env.PROGRAM.fetch(request);
      }
    }`;
}

/**
 * Returns Miniflare's pattern of a path. Its patterns match the path with the query and cannot contain one, so a page's
 * pattern also matches longer paths, which the Worker then answers. The home page with a query goes to the Worker,
 * which serves it from the same files.
 */
const routeOf = (path: string): string => (path === "/" || path.endsWith("*") ? `*${path}` : `*${path}*`);
