import { readdirSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type V4WorkerOptions } from "miniflare";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import { withAssetsBeside } from "./assets.ts";
import { edgeCacheEntry, entryWithCache } from "./edge-cache-entry.ts";

const moduleTypes: Readonly<Record<string, string>> = {
  ".js": "ESModule",
  ".mjs": "ESModule",
  ".wasm": "CompiledWasm",
  ".txt": "Text",
  ".html": "Text",
  ".sql": "Text",
  ".bin": "Data",
};

/**
 * Runs a built Worker in workerd with the bindings of its wrangler.toml and the given variables, which it also sets in
 * this process. Without wrangler's development proxies, a request costs a quarter of the time. `scheduledUrl` builds
 * the URL that fires a cron trigger. `assets` selects Miniflare's router of static assets in front of the Worker, or a
 * Worker of assets beside it; `edgeCache` is the control URL of the model of the platform's cache in front of the
 * Worker, if there is one.
 */
export async function runBuiltWorker(input: {
  configFile: string;
  folder: string;
  port: number;
  variables: Readonly<Record<string, string>>;
  assets: "in front" | "beside";
  edgeCache?: string | null | undefined;
}): Promise<Miniflare> {
  // wrangler.toml lists required secrets, which wrangler reads from the environment.
  Object.assign(process.env, input.variables);
  const { workerOptions, main } = unstable_getMiniflareWorkerOptions(input.configFile);
  const { modulesRules: _, ...options } = workerOptions as Record<string, unknown>;
  const bindings = { ...(options["bindings"] as object), ...input.variables };
  const entry = `${basename(main ?? "worker", extname(main ?? ""))}.js`;
  const built = modulesOf(input.folder, entry);
  const modules =
    input.edgeCache == null
      ? built
      : [cacheModule({ folder: input.folder, entry, control: input.edgeCache }), ...built];
  const worker = { ...options, name: "causeway", modulesRoot: input.folder, modules, bindings };
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: input.port,
      cf: false,
      telemetry: { enabled: false },
      logRequests: false,
      log: new Log(LogLevel.WARN),
      unsafeTriggerHandlers: true,
      // wrangler's own type names an older version of Miniflare; the options are the same.
      workers: (input.assets === "beside" ? withAssetsBeside(worker) : [worker]) as V4WorkerOptions[],
    }),
  );
  await runtime.ready;
  return runtime;
}

function cacheModule(of: { folder: string; entry: string; control: string }) {
  return { type: "ESModule", path: join(of.folder, edgeCacheEntry), contents: entryWithCache(of) };
}

/** Returns the entry module, followed by the modules that it imports. */
function modulesOf(folder: string, entry: string) {
  const names = readdirSync(folder).filter((name) => moduleTypes[extname(name)] !== undefined);
  const ordered = [entry, ...names.filter((name) => name !== entry)];
  return ordered.map((name) => ({ type: moduleTypes[extname(name)], path: join(folder, name) }));
}
