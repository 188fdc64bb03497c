import { keepPreviousData, QueryClient, queryOptions } from "@tanstack/react-query";
import {
  getActions,
  getBridges,
  getChains,
  getDeposits,
  getPositions,
  getTokens,
  getVault,
  getWithdrawals,
  type Vault,
  vaultPages,
} from "../../client/operations/read-operations.ts";
import { ask, causeway, isTemporary } from "./console-client.ts";

/** Durations in milliseconds, used for the freshness of responses and for polling intervals. */
const [SECONDS_10, MINUTE, HOUR] = [10_000, 60_000, 3_600_000];
const RETRIES = 2;
/** Maximum number of vaults that the API returns in one page. */
const PAGE_LIMIT = 500;
/** Number of vaults after which the console reads no further page of the list. */
export const LIST_LIMIT = 5_000;

/**
 * Creates the cache of API responses. A response is fresh for 10 seconds unless its query says otherwise; periodic
 * reloads pause while the page is hidden. Temporary errors of queries are retried up to twice, others are not.
 */
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

/** Query for the listed vaults, reloaded every minute. Once it has 5,000 of them, it reads no further page. */
export const vaultsQuery = queryOptions({
  queryKey: ["vaults"],
  queryFn: async ({ signal }) => {
    const vaults = new Map<string, Vault>();
    for await (const page of vaultPages(causeway, { limit: PAGE_LIMIT, signal })) {
      for (const vault of page) vaults.set(vault.vaultId, vault);
      if (vaults.size >= LIST_LIMIT) break;
    }
    return [...vaults.values()];
  },
  staleTime: MINUTE / 2,
  refetchInterval: MINUTE,
});

/** Query for one vault, reloaded every minute. Fails with `vault_not_found` for an unknown vault. */
export const vaultQuery = (vaultId: string) =>
  queryOptions({
    queryKey: ["vault", vaultId.toLowerCase()],
    queryFn: ({ signal }) => getVault(causeway, { vaultId, signal }),
    refetchInterval: MINUTE,
  });

/** A metric of a vault's history. */
export type HistoryMetric = "share_price" | "total_assets" | "apy" | "net_flow";
/** Time between two points of a vault's history: 5 minutes, an hour or a day. */
export type HistoryInterval = "5m" | "1h" | "1d";

/** Metric, interval and period of the history that a vault's page shows first. */
export const firstHistory = { metric: "share_price", interval: "1h", days: 7 } as const;

/** Query for a metric of a vault's history over the last `days` days, at most the newest 1,000 points. */
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

/** Query for the chains of the deployment, fresh for an hour. */
export const chainsQuery = queryOptions({
  queryKey: ["chains"],
  queryFn: ({ signal }) => getChains(causeway, { signal }),
  staleTime: HOUR,
});

/** Query for the tokens that the API lists on a chain, with their prices; fresh for a minute. */
export const tokensQuery = (chainId: number) =>
  queryOptions({
    queryKey: ["tokens", chainId],
    queryFn: ({ signal }) => getTokens(causeway, { chainId, signal }),
    staleTime: MINUTE,
  });

/** Query for the bridges that the API lists, fresh for an hour. */
export const bridgesQuery = queryOptions({
  queryKey: ["bridges"],
  queryFn: ({ signal }) => getBridges(causeway, { signal }),
  staleTime: HOUR,
});

/** Query for a user's positions, pending deposits and open requests on all chains, reloaded every 30 seconds. */
export const positionsQuery = (userAddress: `0x${string}`) =>
  queryOptions({
    queryKey: ["positions", userAddress.toLowerCase()],
    queryFn: ({ signal }) => getPositions(causeway, { userAddress, signal }),
    refetchInterval: MINUTE / 2,
  });

/** Query for what a user can do at a vault now, reloaded every minute. */
export const actionsQuery = (of: { userAddress: `0x${string}`; vaultId: string }) =>
  queryOptions({
    queryKey: ["actions", of.userAddress.toLowerCase(), of.vaultId],
    queryFn: ({ signal }) => getActions(causeway, { ...of, signal }),
    refetchInterval: MINUTE,
  });

/** Query for a user's newest 50 deposits that were sent, also if still pending; reloaded every 30 seconds. */
export const depositsQuery = (userAddress: `0x${string}`) =>
  queryOptions({
    queryKey: ["deposits", userAddress.toLowerCase()],
    queryFn: ({ signal }) => getDeposits(causeway, { userAddress, limit: 50, signal }),
    refetchInterval: MINUTE / 2,
  });

/** Query for a user's newest 50 withdrawals that were sent, also if still pending; reloaded every 30 seconds. */
export const withdrawalsQuery = (userAddress: `0x${string}`) =>
  queryOptions({
    queryKey: ["withdrawals", userAddress.toLowerCase()],
    queryFn: ({ signal }) => getWithdrawals(causeway, { userAddress, limit: 50, signal }),
    refetchInterval: MINUTE / 2,
  });

/** Query for up to 50 signals about one vault seen in the last 30 days, last seen first; reloaded every minute. */
export const vaultSignalsQuery = (vaultId: string) =>
  queryOptions({
    queryKey: ["signals", vaultId],
    queryFn: ({ signal }) =>
      ask<"intel.feed">({ path: "/v1/intel/feed", query: { since: "30d", limit: 50, vaultId }, signal }),
    refetchInterval: MINUTE,
  });

/**
 * Query for up to 50 signals of the feed from `offset` on, last seen first, reloaded every minute. `since` is a period
 * such as `7d`; an empty `dimension` means all dimensions. The previous query's data are kept until it has loaded.
 */
export const signalsQuery = (of: { since: string; dimension: string; offset: number }) =>
  queryOptions({
    queryKey: ["signals", of],
    queryFn: ({ signal }) => {
      const { since, dimension, offset } = of;
      const query = { since, limit: 50, offset, dimension: dimension === "" ? undefined : dimension };
      return ask<"intel.feed">({ path: "/v1/intel/feed", query, signal });
    },
    // The list stays on the page while another part of it is loaded.
    placeholderData: keepPreviousData,
    refetchInterval: MINUTE,
  });

/** Query for the rules that raise signals, fresh for an hour. */
export const rulesQuery = queryOptions({
  queryKey: ["rules"],
  queryFn: ({ signal }) => ask<"intel.rules">({ path: "/v1/intel/rules", signal }),
  staleTime: HOUR,
});

/** Query for the health of the service, reloaded every 30 seconds. */
export const healthQuery = queryOptions({
  queryKey: ["health"],
  queryFn: ({ signal }) => ask<"health.details">({ path: "/health/details", signal }),
  refetchInterval: SECONDS_10 * 3,
});
