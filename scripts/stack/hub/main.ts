/**
 * Process that runs the emulators: Neon, Upstash, LI.FI, KyberSwap, Velora and Across with the bridge's relayer, and the fault layer in
 * front of each node.
 */
import type { DeployedChain } from "../chains/deploy-chain.ts";
import type { Backend } from "../emulators/neon/backend.ts";
import type { Credentials } from "../emulators/neon/credentials.ts";
import { neonEmulator } from "../emulators/neon/endpoint.ts";
import { openPglite, type PgliteBackend } from "../emulators/neon/pglite.ts";
import { openPostgres } from "../emulators/neon/postgres.ts";
import type { ServedEmulator } from "../emulators/server.ts";
import { serveEmulator } from "../emulators/server.ts";
import { openRedis, type RedisBackend } from "../emulators/upstash/backend.ts";
import { upstashEmulator } from "../emulators/upstash/endpoint.ts";
import { serveParent } from "../processes/serve.ts";
import { rpcEmulator } from "../rpc/endpoint.ts";
import { ProviderEmulators } from "./provider-emulators.ts";

/** Input of the emulators' process. */
export interface HubInput {
  /** URL of a real Postgres; null for the embedded one, restored from `snapshotFile` when possible. */
  databaseUrl: string | null;
  snapshotFile: string;
  credentials: Credentials;
  /** URL of a real Redis; null for the embedded one. */
  redisUrl: string | null;
  redisToken: string;
  chainIds: readonly number[];
}

/** URLs of the emulators; `rpc` by chain id. */
export interface HubAddresses {
  neon: string;
  upstash: string;
  lifi: string;
  across: string;
  swaps: string;
  velora: string;
  prices: string;
  rpc: Record<number, string>;
}

const served: ServedEmulator[] = [];
const bridging = new ProviderEmulators();
/** Functions that set the node's URL of each fault layer, by chain id. */
const connectNode = new Map<number, (url: string) => void>();
let postgres: Promise<Backend> | null = null;
let embedded: Promise<PgliteBackend> | null = null;
let redis: Promise<RedisBackend> | null = null;

/** Returns the emulators' URLs immediately. Requests wait for stores and nodes that are still starting. */
async function start(input: HubInput): Promise<HubAddresses> {
  if (input.databaseUrl === null) embedded = openPglite(input.snapshotFile);
  const database = embedded ?? openPostgres(input.databaseUrl ?? "");
  const cache = openRedis(input.redisUrl);
  [postgres, redis] = [database, cache];
  // `ready` reports a store that cannot start.
  for (const starting of [database, cache]) starting.catch(() => undefined);
  const serve = async (emulator: Parameters<typeof serveEmulator>[0]) => {
    const one = await serveEmulator(emulator);
    served.push(one);
    return one.url;
  };
  const rpc: Record<number, string> = {};
  for (const chainId of input.chainIds) {
    const node = new Promise<string>((resolve) => connectNode.set(chainId, resolve));
    rpc[chainId] = await serve(rpcEmulator(chainId, node));
  }
  const neon = await serve(neonEmulator(database, input.credentials));
  const upstash = await serve(upstashEmulator(cache, input.redisToken));
  return { neon, upstash, ...(await bridging.serve()), rpc };
}

/** Closes everything and ends the process. */
async function close(): Promise<void> {
  await Promise.all([...served, bridging].map((one) => one.close()));
  await Promise.allSettled([postgres, redis].map(async (backend) => (await backend)?.close()));
  // An ordinary exit takes the embedded Postgres apart, for a second and half a gigabyte of memory.
  if (embedded !== null) process.kill(process.pid, "SIGKILL");
}

serveParent(
  {
    start,
    /** Resolves when both stores respond; returns whether the database already has the schema. */
    ready: async () => {
      await Promise.all([postgres, redis]);
      return { restored: (await embedded)?.restored ?? false };
    },
    connect: async ({ chainId, url }: { chainId: number; url: string }) => connectNode.get(chainId)?.(url),
    /** Starts the bridge without waiting for it: requests to the providers wait. */
    bridge: async (deployments: readonly DeployedChain[]) => {
      bridging.open(deployments).catch((error: unknown) => console.error("bridge:", error));
    },
    save: async (file: string) => (await embedded)?.save(file),
  },
  close,
);
