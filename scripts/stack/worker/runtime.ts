import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, extname, join } from "node:path";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import { withAssetsBeside } from "./assets.ts";

/** What is used of miniflare, which wrangler brings along in the version that fits it. */
interface Runtime {
  ready: Promise<URL>;
  dispose(): Promise<void>;
}
interface MiniflareModule {
  Miniflare: new (options: unknown) => Runtime;
  convertV4MiniflareOptions(options: unknown): unknown;
  Log: new (level: number) => unknown;
  LogLevel: { WARN: number };
}

const require = createRequire(import.meta.url);
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
 * Runs a built Worker in workerd with the bindings of its wrangler.toml and the given variables.
 * Without wrangler's development proxies a request costs a quarter of what it does behind them.
 * `scheduledUrl` names what fires a cron trigger. `acrossAssets` puts the development stand-in for the platform's asset
 * router in front of the Worker, or the assets beside it.
 */
export async function runWorker(input: {
  configFile: string;
  folder: string;
  port: number;
  variables: Readonly<Record<string, string>>;
  assets: "in front" | "beside";
}): Promise<Runtime> {
  const { Miniflare, convertV4MiniflareOptions, Log, LogLevel } = createRequire(require.resolve("wrangler"))(
    "miniflare",
  ) as MiniflareModule;
  // wrangler.toml names required secrets, and wrangler looks for them here.
  Object.assign(process.env, input.variables);
  const { workerOptions, main } = unstable_getMiniflareWorkerOptions(input.configFile);
  const { modulesRules: _, ...options } = workerOptions as Record<string, unknown>;
  const bindings = { ...(options["bindings"] as object), ...input.variables };
  const entry = `${basename(main ?? "worker", extname(main ?? ""))}.js`;
  const modules = modulesOf(input.folder, entry);
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
      workers: input.assets === "beside" ? withAssetsBeside(worker) : [worker],
    }),
  );
  await runtime.ready;
  return runtime;
}

/** The entry first, then what it imports. */
function modulesOf(folder: string, entry: string) {
  const names = readdirSync(folder).filter((name) => moduleTypes[extname(name)] !== undefined);
  const ordered = [entry, ...names.filter((name) => name !== entry)];
  return ordered.map((name) => ({ type: moduleTypes[extname(name)], path: join(folder, name) }));
}
