import type { HubAddresses } from "../hub/main.ts";
import type { StackChain } from "../manifest.ts";
import type { Credentials } from "../neon/credentials.ts";
import { providersVariable } from "./providers.ts";

/** Far above what a test or a benchmark sends in a minute. */
const AMPLE = 1_000_000;
/** Always the same, so that keys outlive a restart when the database does; no secret: it guards nothing real. */
const PEPPERS = { "1": "the pepper of every local stack, known to all" };

/** The Worker's variables: the local stack differs from a deployment in nothing else. */
export function workerVariables(input: {
  api: string;
  hub: HubAddresses;
  credentials: Credentials;
  redisToken: string;
  adminToken: string;
  chains: readonly (Pick<StackChain, "chain_id" | "name"> & {
    key: string;
    wrapped_native: string | null;
    multicall3: string | null;
    /** The chain's part of the manifest; without it, providers do not know the chain. */
    contracts?: StackChain["contracts"];
  })[];
}): Record<string, string> {
  const { hub } = input;
  const chains = input.chains.map(({ contracts: _, ...chain }) => ({
    ...chain,
    rpc_urls: [hub.rpc[chain.chain_id]],
    explorer: "",
    native: { symbol: "ETH", decimals: 18 },
    confirmations: 1,
    block_time_ms: 1000,
  }));
  const bridged = input.chains.flatMap(({ chain_id, contracts }) =>
    contracts === undefined ? [] : [{ chain_id, contracts }],
  );
  return {
    DATABASE_URL: databaseUrl(hub, input.credentials),
    DATABASE_HTTP_URL: `${hub.neon}/sql`,
    UPSTASH_REDIS_REST_URL: hub.upstash,
    UPSTASH_REDIS_REST_TOKEN: input.redisToken,
    PUBLIC_URL: input.api,
    ADMIN_TOKEN: input.adminToken,
    CHAINS: JSON.stringify(chains),
    PROVIDERS: providersVariable(hub, bridged),
    PARTNER_PEPPERS: JSON.stringify(PEPPERS),
    RATE_LIMITS: JSON.stringify(
      Object.fromEntries(
        ["quote", "build", "nonce", "register", "login", "positions", "status", "reads"].map((name) => [
          name,
          AMPLE,
        ]),
      ),
    ),
  };
}

export function databaseUrl(hub: HubAddresses, { user, password, database }: Credentials): string {
  return `postgresql://${user}:${password}@${new URL(hub.neon).host}/${database}`;
}
