import type { Credentials } from "../emulators/neon/credentials.ts";
import type { HubAddresses } from "../hub/main.ts";
import type { StackChain } from "../manifest.ts";
import { providersVariable } from "./providers.ts";

/** Far above what a test or a benchmark sends in a minute. */
const AMPLE = 1_000_000;
const LIMITED = ["quote", "build", "nonce", "register", "login", "positions", "status", "reads"] as const;
/** Always the same, so that keys outlive a restart when the database does; no secret: it guards nothing real. */
const PEPPERS = { "1": "the pepper of every local stack, known to all" };

/** A chain as the Worker is told of it. */
type WorkerChain = Pick<StackChain, "chain_id" | "name"> & {
  key: string;
  wrapped_native: string | null;
  /** The chain's part of the manifest; without it, providers do not know the chain. */
  contracts?: StackChain["contracts"];
};

/** The Worker's variables: the local stack differs from a deployment in nothing else. */
export function workerVariables(input: {
  api: string;
  hub: HubAddresses;
  credentials: Credentials;
  redisToken: string;
  adminToken: string;
  chains: readonly WorkerChain[];
}): Record<string, string> {
  const { hub, chains } = input;
  const bridged = chains.flatMap(({ chain_id, contracts }) =>
    contracts === undefined ? [] : [{ chain_id, contracts }],
  );
  return {
    DATABASE_URL: databaseUrl(hub, input.credentials),
    DATABASE_HTTP_URL: `${hub.neon}/sql`,
    UPSTASH_REDIS_REST_URL: hub.upstash,
    UPSTASH_REDIS_REST_TOKEN: input.redisToken,
    PUBLIC_URL: input.api,
    ADMIN_TOKEN: input.adminToken,
    CHAINS: JSON.stringify(chains.map((chain) => chainSetting(chain, hub))),
    PROVIDERS: providersVariable(hub, bridged),
    PARTNER_PEPPERS: JSON.stringify(PEPPERS),
    RATE_LIMITS: JSON.stringify(Object.fromEntries(LIMITED.map((name) => [name, AMPLE]))),
  };
}

function chainSetting({ contracts: _, ...chain }: WorkerChain, hub: HubAddresses) {
  return {
    ...chain,
    rpc_urls: [hub.rpc[chain.chain_id]],
    explorer: "",
    native: { symbol: "ETH", decimals: 18 },
    confirmations: 1,
    block_time_ms: 1000,
  };
}

export function databaseUrl(hub: HubAddresses, { user, password, database }: Credentials): string {
  return `postgresql://${user}:${password}@${new URL(hub.neon).host}/${database}`;
}
