import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StackManifest } from "../stack/manifest.ts";
import { Child } from "../stack/processes/child.ts";
import { findPort } from "../stack/processes/port.ts";
import type { ListenInput } from "../stack/worker/main.ts";
import { workerVariables } from "../stack/worker/variables.ts";

const root = join(import.meta.dirname, "../..");

/** A Worker that runs in workerd on this machine. */
export interface RunningWorker {
  origin: string;
  /** Process id of Miniflare, the parent of workerd. */
  pid: number;
  close(): Promise<void>;
}

/** Position of the static assets: a router in front of the Worker, as in Miniflare, or a separate Worker. */
export type AssetPlace = "in front" | "beside";

/**
 * Builds a Worker as a deployment would and runs it in workerd, with the variables for its origin. Writes its log to
 * `folder`. Errors of the build and of the start propagate.
 */
export async function runWorker(input: {
  name: string;
  configFile: string;
  folder: string;
  assets: AssetPlace;
  variables: (origin: string) => Record<string, string>;
}): Promise<RunningWorker> {
  const logFile = join(input.folder, `${input.name}.log`);
  const child = new Child({ name: input.name, entry: join(root, "scripts/stack/worker/main.ts"), logFile });
  const close = () => child.close();
  try {
    const port = await findPort(0);
    const origin = `http://127.0.0.1:${port}`;
    await child.ask<void>("build", input.configFile);
    const { configFile, assets } = input;
    const variables = input.variables(origin);
    const listen: ListenInput = { configFile, port, variables, cronEveryMs: null, assets };
    await child.ask<void>("listen", listen);
    return { origin, pid: child.pid, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Runs a Worker that responds to every request with this text and these headers. With `in front`, it also has static
 * assets behind a router. Writes its source to `folder`.
 */
export function runBareWorker(
  folder: string,
  answer: { body: string; headers: readonly (readonly [string, string])[]; assets: "in front" | "none" },
): Promise<RunningWorker> {
  const hasAssets = answer.assets !== "none";
  const name = hasAssets ? "bare-with-assets" : "bare";
  const own = join(folder, name);
  mkdirSync(join(own, "public"), { recursive: true });
  writeFileSync(join(own, "public/some.txt"), "some");
  const configFile = join(own, "wrangler.toml");
  const settings =
    '[assets]\ndirectory = "./public"\nbinding = "ASSETS"\nrun_worker_first = ["/*", "!/docs-assets/*"]\n';
  const config = `name = "${name}"\nmain = "bare.js"\ncompatibility_date = "2026-11-01"\n`;
  writeFileSync(configFile, hasAssets ? config + settings : config);
  const source = `const body = ${JSON.stringify(answer.body)};
const headers = ${JSON.stringify(answer.headers)};
export default { fetch: () => new Response(body, { headers }) };
`;
  writeFileSync(join(own, "bare.js"), source);
  const assets = hasAssets ? "in front" : "beside";
  return runWorker({ name, configFile, folder, assets, variables: () => ({}) });
}

/**
 * Runs a second instance of the production bundle on the stack; it serves the given chains, with `name` as its cache
 * prefix. `changes` replaces environment variables.
 */
export function runSecondWorker(
  folder: string,
  input: {
    stack: StackManifest;
    name: string;
    chainIds: readonly number[];
    assets?: AssetPlace;
    changes?: Readonly<Record<string, string>>;
  },
): Promise<RunningWorker> {
  const { stack, name, chainIds, assets = "beside", changes = {} } = input;
  const { username: user, password, pathname } = new URL(stack.database_url);
  const variables = (origin: string) => ({
    ...workerVariables({
      api: origin,
      hub: stack.emulators,
      credentials: { user, password, database: pathname.slice(1) },
      redisToken: stack.redis_token,
      adminToken: stack.admin_token,
      chains: stack.chains
        .filter(({ chain_id }) => chainIds.includes(chain_id))
        .map((chain) => ({
          chain_id: chain.chain_id,
          name: chain.name,
          key: `bench-${chain.chain_id}`,
          wrapped_native: chain.contracts.tokens.WETH.address,
          contracts: chain.contracts,
        })),
    }),
    REDIS_KEY_PREFIX: name,
    ...changes,
  });
  return runWorker({ name, configFile: join(root, "wrangler.toml"), folder, assets, variables });
}
