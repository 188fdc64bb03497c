import { QueryClient, queryOptions } from "@tanstack/react-query";
import {
  getBridges,
  type getChains,
  getDeposits,
  getPositions,
  getTokens,
  getVault,
  getVaults,
} from "../../client/read-actions.ts";
import { ask, causeway, isTemporary } from "./console-client.ts";

/** How long answers count as fresh and how often they are read again, in milliseconds. */
const [SECONDS_10, MINUTE, HOUR] = [10_000, 60_000, 3_600_000];
const RETRIES = 2;
/** The most that one list of the API holds. */
export const LIST_LIMIT = 500;

/** Creates the cache of answers. What may succeed later is tried again, other errors are shown at once. */
export const createQueryCache = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: SECONDS_10,
        retry: (failures, error) => failures < RETRIES && isTemporary(error),
        refetchOnWindowFocus: true,
      },
    },
  });

/** All vaults that the API lists. */
export const vaultsQuery = queryOptions({
  queryKey: ["vaults"],
  queryFn: ({ signal }) => getVaults(causeway, { limit: LIST_LIMIT, signal }),
  staleTime: MINUTE / 2,
  refetchInterval: MINUTE,
});

/** One vault. */
export const vaultQuery = (vaultId: string) =>
  queryOptions({
    queryKey: ["vault", vaultId.toLowerCase()],
    queryFn: ({ signal }) => getVault(causeway, { vaultId, signal }),
    refetchInterval: MINUTE,
  });

/** What a vault's history shows. */
export type HistoryMetric = "share_price" | "total_assets" | "apy" | "net_flow";
/** Time between two points of a history. */
export type HistoryInterval = "5m" | "1h" | "1d";

/** A vault's history from a time to now. */
export const historyQuery = (of: {
  vaultId: string;
  metric: HistoryMetric;
  interval: HistoryInterval;
  days: number;
}) =>
  queryOptions({
    queryKey: ["history", of],
    queryFn: ({ signal }) => {
      const from = new Date(Date.now() - of.days * 24 * HOUR).toISOString();
      const path = `/v1/vaults/${encodeURIComponent(of.vaultId)}/history`;
      const query = { metric: of.metric, interval: of.interval, from };
      return ask<"vaults.history">({ path, query, signal });
    },
    staleTime: MINUTE,
  });

/** Chains from which deposits can be paid, or with vaults only. */
export const chainsQuery = queryOptions({
  queryKey: ["chains"],
  queryFn: async ({ signal }) =>
    (await causeway.request({
      path: "/v1/chains",
      query: { source: true },
      signal,
    })) as Awaited<ReturnType<typeof getChains>>,
  staleTime: HOUR,
});

/** The tokens of a chain. */
export const tokensQuery = (chainId: number) =>
  queryOptions({
    queryKey: ["tokens", chainId],
    queryFn: ({ signal }) => getTokens(causeway, { chainId, signal }),
    staleTime: MINUTE,
  });

/** The bridges. */
export const bridgesQuery = queryOptions({
  queryKey: ["bridges"],
  queryFn: ({ signal }) => getBridges(causeway, { signal }),
  staleTime: HOUR,
});

/** A user's positions. */
export const positionsQuery = (userAddress: `0x${string}`) =>
  queryOptions({
    queryKey: ["positions", userAddress.toLowerCase()],
    queryFn: ({ signal }) => getPositions(causeway, { userAddress, signal }),
    refetchInterval: MINUTE / 2,
  });

/** What a user may do with a vault now. */
export const actionsQuery = (of: { userAddress: `0x${string}`; vaultId: string }) =>
  queryOptions({
    queryKey: ["actions", of.userAddress.toLowerCase(), of.vaultId],
    queryFn: ({ signal }) =>
      ask<"actions.get">({ path: `/v1/actions/${of.userAddress}/${encodeURIComponent(of.vaultId)}`, signal }),
    refetchInterval: MINUTE,
  });

/** A user's deposits that the chains have shown, newest first. */
export const depositsQuery = (userAddress: `0x${string}`) =>
  queryOptions({
    queryKey: ["deposits", userAddress.toLowerCase()],
    queryFn: ({ signal }) => getDeposits(causeway, { userAddress, limit: 50, signal }),
    refetchInterval: MINUTE / 2,
  });

/** Signals of all tiers, newest first. */
export const signalsQuery = (of: { since: string; dimension: string; offset: number }) =>
  queryOptions({
    queryKey: ["signals", of],
    queryFn: ({ signal }) => {
      const { since, dimension, offset } = of;
      const query = { since, limit: 50, offset, dimension: dimension === "" ? undefined : dimension };
      return ask<"intel.feed">({ path: "/v1/intel/feed", query, signal });
    },
    refetchInterval: MINUTE,
  });

/** The rules by which signals are found. */
export const rulesQuery = queryOptions({
  queryKey: ["rules"],
  queryFn: ({ signal }) => ask<"intel.rules">({ path: "/v1/intel/rules", signal }),
  staleTime: HOUR,
});

/** The state of the service. */
export const healthQuery = queryOptions({
  queryKey: ["health"],
  queryFn: ({ signal }) => ask<"health.details">({ path: "/health/details", signal }),
  refetchInterval: SECONDS_10 * 3,
});
