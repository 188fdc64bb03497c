import type { Credentials } from "../emulators/neon/credentials.ts";
import type { HubAddresses } from "../hub/main.ts";
import type { StackChain } from "../manifest.ts";
import { authorizationsVariable } from "./authorizations.ts";
import { discoveryVariable } from "./discovery.ts";
import { pricesVariable } from "./prices.ts";
import { providersVariable } from "./providers.ts";

/** Requests per minute; far above the rate of a test or benchmark. */
const AMPLE = 1_000_000;
const LIMITED = [
  "quote",
  "build",
  "user_build",
  "nonce",
  "register",
  "login",
  "positions",
  "status",
  "reads",
] as const;
/**
 * Peppers of API keys. They are constant, so that keys stay valid after a restart with the same database. Not secret,
 * because they protect only local data.
 */
const PEPPERS = { "1": "the pepper of every local stack, known to all" };

/** A chain of the Worker's configuration. */
type WorkerChain = Pick<StackChain, "chain_id" | "name"> & {
  key: string;
  wrapped_native: string | null;
  /** The chain's contracts in the manifest; when absent, providers do not support the chain. */
  contracts?: StackChain["contracts"];
};

/** Returns the Worker's variables, the only difference between the local stack and a deployment. */
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
    PRICES: pricesVariable(hub, bridged),
    AUTHORIZATIONS: authorizationsVariable(bridged),
    DISCOVERY: discoveryVariable(bridged),
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

/** Returns the connection URL of the emulated Neon. */
export function databaseUrl(hub: HubAddresses, { user, password, database }: Credentials): string {
  return `postgresql://${user}:${password}@${new URL(hub.neon).host}/${database}`;
}
