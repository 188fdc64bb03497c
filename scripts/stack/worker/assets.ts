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
    script: `export default { fetch: (request, env) => env.${binding}.fetch(request) }`,
    compatibilityDate: own["compatibilityDate"],
    routes: routerConfig.static_routing.asset_worker.map((path) => `*${path}`),
    assets: { directory, binding, assetConfig, routerConfig: { has_user_worker: false } },
  };
  return [{ ...own, serviceBindings: { ...services, [binding]: name } }, beside];
}
