import { z } from "zod";

/** Of the assets in wrangler's options for a Worker, what is used here. */
const Assets = z.object({
  directory: z.string(),
  binding: z.string(),
  routerConfig: z.object({ static_routing: z.object({ asset_worker: z.array(z.string()) }) }),
  assetConfig: z.unknown(),
});

type WorkerOptions = Readonly<Record<string, unknown>>;

/**
 * Takes the static assets of a Worker's options into a Worker of their own, which gets the paths that wrangler.toml
 * gives to assets first and which the other reaches by the same binding. A Worker without assets stays as it is.
 *
 * In production the platform sends requests to the one or the other. What stands for it in development are two more
 * Workers in JavaScript that every request passes, at more than the cost of all that ours does for a warm read.
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
