import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildStandIns } from "../contracts/stand-ins.ts";
import type { DeployedChain } from "./chains/deploy-chain.ts";
import { chainPlans } from "./chains/plan.ts";
import { edgeCachePath, type ServedEdgeCache, serveEdgeCache } from "./edge-cache/serve-edge-cache.ts";
import { removeOldSnapshots, snapshotFile } from "./emulators/neon/snapshot.ts";
import type { HubAddresses, HubInput } from "./hub/main.ts";
import { KeptData } from "./kept-data.ts";
import type { StackChain, StackManifest } from "./manifest.ts";
import { Child } from "./processes/child.ts";
import { findPort } from "./processes/port.ts";
import { type ReportStep, Stopwatch } from "./stopwatch.ts";
import type { ListenInput } from "./worker/main.ts";
import { scheduledUrl } from "./worker/scheduled.ts";
import { databaseUrl, workerVariables } from "./worker/variables.ts";

const root = join(import.meta.dirname, "../..");
/** Folder of `stack.json` and the logs of `npm start`. */
export const startFolder = join(root, ".stack");
const credentials = { user: "causeway", password: "causeway", database: "causeway" };

/** Options of `bootStack`. */
export interface StackOptions {
  /** Port of the API. A free port if absent or 0. */
  port?: number;
  /** True to print nothing. */
  quiet?: boolean;
  /** Receives each finished step instead of printing it. */
  report?: ReportStep;
  /** Folder of `stack.json` and the logs; by default a temporary one, removed on close. */
  folder?: string;
  /** Interval in milliseconds at which the Worker's cron triggers are fired. Absent to fire none. */
  cronEveryMs?: number;
  /** True to put the model of the platform's cache in front of the Worker. */
  edgeCache?: boolean;
  /** Folder of data that is kept between runs: read at the start, written by `close`. Absent if nothing is kept. */
  keep?: string;
}

/** A running stack. */
export interface Stack {
  manifest: StackManifest;
  /** True if the stack continues with data of an earlier run. */
  resumed: boolean;
  /** Path of the manifest, `stack.json`. */
  file: string;
  /** Fires a cron trigger of the Worker and waits until its jobs end. Throws if they fail. */
  cron(expression: string): Promise<void>;
  /** Calls `listener` when a process of the stack ends unexpectedly. */
  onCrash(listener: (message: string) => void): void;
  /** Saves the data to keep, and stops every process. */
  close(): Promise<void>;
}

/**
 * Store of the data that `close` saves for the next run, and the contracts of an earlier run, or null if there is none.
 */
interface Keeping {
  data: KeptData;
  found: DeployedChain[] | null;
}

type Processes = Record<"hub" | "chains" | "worker", Child>;

/**
 * Starts everything that `npm start` and the end-to-end tests need: two chains with contracts, Neon and Upstash
 * emulated over embedded stores (or over DATABASE_URL and REDIS_URL), and the Worker's production bundle in workerd.
 * All processes end with this one.
 *
 * Throws `StackError` when the port is taken, otherwise an Error that names the failed part and the reason.
 */
export async function bootStack(options: StackOptions = {}): Promise<Stack> {
  const port = await findPort(options.port ?? 0);
  const watch = new Stopwatch(options.report ?? (options.quiet === true ? () => undefined : printStep));
  // First, because the processes import the generated modules.
  await watch.step("Stand-ins compiled", buildStandIns);
  removeDeadRuns();
  const folder = options.folder ?? join(startFolder, `run-${process.pid}-${port}`);
  const entry = (name: string) => join(import.meta.dirname, name, "main.ts");
  const start = (name: keyof Processes) =>
    new Child({ name, entry: entry(name), logFile: join(folder, "logs", `${name}.log`) });
  const processes = { hub: start("hub"), chains: start("chains"), worker: start("worker") };
  const file = join(folder, "stack.json");
  // A stack that never listened leaves a foreign folder's `stack.json` alone: it may belong to the stack that holds
  // the port.
  let leftover = options.folder === undefined ? folder : null;
  const data = options.keep === undefined ? null : new KeptData(options.keep);
  const keeping = data === null ? null : { data, found: data.read() };
  let deployed: readonly DeployedChain[] = [];
  let cache: ServedEdgeCache | null = null;
  const close = async () => {
    await cache?.close();
    if (keeping !== null && deployed.length > 0) await save({ processes, deployed, data: keeping.data });
    await Promise.all(Object.values(processes).map((child) => child.close()));
    if (leftover !== null) rmSync(leftover, { recursive: true, force: true });
  };
  try {
    const workerPort = options.edgeCache === true ? await findPort(0) : port;
    const boot = { processes, port, workerPort, watch, options, keeping };
    const { manifest, deployments } = await bring(boot);
    deployed = deployments;
    if (options.edgeCache === true)
      cache = await serveEdgeCache({ worker: `http://127.0.0.1:${workerPort}`, port });
    leftover ??= file;
    (await tools()).writeManifest(file, manifest);
    const onCrash = (listener: (message: string) => void) => {
      for (const child of Object.values(processes)) child.onCrash(listener);
    };
    const resumed = keeping !== null && keeping.found !== null;
    return {
      manifest,
      resumed,
      file,
      cron: (expression) => fireCron(manifest.api, expression),
      onCrash,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

type Boot = {
  processes: Processes;
  /** Port of the API, and of the Worker itself if the cache is in front of it. */
  port: number;
  workerPort: number;
  watch: Stopwatch;
  options: StackOptions;
  keeping: Keeping | null;
};

/** Stops the Worker, so that the data no longer changes, and saves the chains and the database. */
async function save(of: {
  processes: Processes;
  deployed: readonly DeployedChain[];
  data: KeptData;
}): Promise<void> {
  const { processes, deployed, data } = of;
  await processes.worker.close();
  await data.replace(deployed, async (draft) => {
    await processes.chains.ask<void>("save", statesIn(draft));
    await processes.hub.ask<void>("save", draft.databaseFile);
  });
}

const statesIn = (data: KeptData): Record<number, string> =>
  Object.fromEntries(chainPlans.map(({ chainId }) => [chainId, data.chainFile(chainId)]));

async function bring(boot: Boot): Promise<{ manifest: StackManifest; deployments: DeployedChain[] }> {
  const { processes, watch } = boot;
  const configFile = join(root, "wrangler.toml");
  const redisToken = randomBytes(24).toString("hex");
  const building = watch.step("Worker built", () => processes.worker.ask<void>("build", configFile));
  const kept = boot.keeping?.found == null ? null : boot.keeping.data;
  const hubUp = startHub(processes.hub, {
    redisToken,
    databaseFile: kept?.databaseFile ?? snapshotFile(root),
  });
  const chainsUp = deployChains(boot, hubUp);
  const databaseUp = prepareDatabase(boot, hubUp);
  const [hub, deployments] = await settle([hubUp, chainsUp, databaseUp, building]);
  const target = { databaseUrl: databaseUrl(hub, credentials), endpoint: `${hub.neon}/sql` };
  // Of kept data, what administrators and proofs changed stays.
  const withStatus = kept === null;
  await watch.step("Vault registry filled", async () => {
    const { claimedRows, registryRows, seed, seedList } = await tools();
    await seed({ ...target, rows: deployments.flatMap(registryRows), withStatus });
    await seedList(target, deployments.flatMap(claimedRows));
  });
  const api = `http://127.0.0.1:${boot.port}`;
  const adminToken = randomBytes(24).toString("hex");
  const { accounts, describeChain, describeVaults } = await tools();
  const chains = deployments.map((deployment) => describeForWorker(deployment, describeChain(deployment)));
  const variables = workerVariables({ api, hub, credentials, redisToken, adminToken, chains });
  const listen: ListenInput = {
    configFile,
    port: boot.workerPort,
    variables,
    cronEveryMs: boot.options.cronEveryMs ?? null,
    edgeCache: boot.options.edgeCache === true ? api + edgeCachePath : null,
  };
  await watch.step(`Worker listens at ${api}`, async () => {
    try {
      await processes.worker.ask<void>("listen", listen);
    } catch (error) {
      // Checked again, because the port may have been taken in the meantime.
      await findPort(boot.workerPort);
      throw error;
    }
  });
  const manifest: StackManifest = {
    api,
    chains: deployments.map(describeChain),
    accounts,
    vaults: deployments.flatMap(describeVaults),
    emulators: hub,
    edge_cache: boot.options.edgeCache === true ? api + edgeCachePath : null,
    admin_token: adminToken,
    database_url: target.databaseUrl,
    redis_token: redisToken,
  };
  return { manifest, deployments };
}

function describeForWorker({ plan }: DeployedChain, { chain_id, name, contracts }: StackChain) {
  return {
    chain_id,
    name,
    key: plan.key,
    wrapped_native: contracts.tokens.WETH.address,
    contracts,
  };
}

/** Modules that take half a second to import, loaded while the processes start. Some import compiled stand-ins. */
const tools = async () => ({
  ...(await import("../db/migrate.ts")),
  ...(await import("../db/seed.ts")),
  ...(await import("./accounts.ts")),
  ...(await import("./chains/registry.ts")),
  ...(await import("./manifest.ts")),
});

/** Waits for all promises before it throws the first failure, so that nothing is still running. */
async function settle<T extends readonly unknown[]>(work: { [K in keyof T]: Promise<T[K]> }): Promise<T> {
  await Promise.allSettled(work);
  return (await Promise.all(work)) as unknown as T;
}

function startHub(
  hub: Child,
  { redisToken, databaseFile }: { redisToken: string; databaseFile: string },
): Promise<HubAddresses> {
  const { DATABASE_URL: realDatabase = "", REDIS_URL: realRedis = "" } = process.env;
  const input: HubInput = {
    databaseUrl: realDatabase === "" ? null : realDatabase,
    redisUrl: realRedis === "" ? null : realRedis,
    snapshotFile: databaseFile,
    credentials,
    redisToken,
    chainIds: chainPlans.map(({ chainId }) => chainId),
  };
  return hub.ask<HubAddresses>("start", input);
}

async function deployChains(
  { processes, watch, keeping }: Boot,
  hubUp: Promise<HubAddresses>,
): Promise<DeployedChain[]> {
  const { chains, hub } = processes;
  const found = keeping?.found ?? null;
  const names = chainPlans.map(({ name }) => name).join(", ");
  return watch.step(`Chains ${found === null ? "deployed" : "resumed"}: ${names}`, async () => {
    const states = keeping === null || found === null ? null : statesIn(keeping.data);
    const nodes = await chains.ask<{ chainId: number; url: string }[]>("start", states);
    await hubUp;
    await Promise.all(nodes.map((node) => hub.ask<void>("connect", node)));
    const deploy = async () => chains.ask<DeployedChain[]>("deploy", (await tools()).tokenHolders);
    const deployments =
      found === null ? await deploy() : found.map((one) => ({ ...one, url: urlOf(one, nodes) }));
    if (found !== null) await chains.ask<void>("resume");
    await hub.ask<void>("bridge", deployments);
    return deployments;
  });
}

const urlOf = ({ plan }: DeployedChain, nodes: readonly { chainId: number; url: string }[]): string =>
  nodes.find(({ chainId }) => chainId === plan.chainId)?.url ?? "";

async function prepareDatabase(
  { processes, watch, keeping }: Boot,
  hubUp: Promise<HubAddresses>,
): Promise<void> {
  const addresses = await hubUp;
  const target = { databaseUrl: databaseUrl(addresses, credentials), endpoint: `${addresses.neon}/sql` };
  const { restored } = await watch.step("Postgres and Redis answer", () =>
    processes.hub.ask<{ restored: boolean }>("ready"),
  );
  const { migrate } = await tools();
  const { applied } = await watch.step("Database schema up to date", () => migrate(target));
  if (keeping?.found != null || (restored && applied.length === 0)) return;
  const file = snapshotFile(root);
  await processes.hub.ask<void>("save", file);
  if (existsSync(file)) removeOldSnapshots(file);
}

function printStep(name: string, ms: number): void {
  console.log(`${name} (${(ms / 1000).toFixed(1)} s)`);
}

async function fireCron(api: string, expression: string): Promise<void> {
  const response = await fetch(scheduledUrl(api, expression));
  if (!response.ok) throw new Error(`cron ${expression}: ${response.status} ${await response.text()}`);
}

/** Removes the folders of runs whose process was killed. */
function removeDeadRuns(): void {
  if (!existsSync(startFolder)) return;
  for (const name of readdirSync(startFolder)) {
    const pid = /^run-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid)))
      rmSync(join(startFolder, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
