import * as z from "zod";
import { getHistory } from "../history/get-vault-history.ts";
import { type AnyRoute, defineRoute } from "../http/define-route.ts";
import { pageReply } from "../http/paginated-response.ts";
import { DAY_MS } from "../lib/durations.ts";
import { getVault } from "../listings/get-listed-vault.ts";
import { listVaults } from "../listings/list-vaults.ts";
import { NOT_A_CURSOR, SortedVaultCursor } from "../schemas/cursor-schema.ts";
import { HistoryInterval, HistoryMetric, VaultHistory } from "../schemas/history-schema.ts";
import {
  BooleanParam,
  ChainIdParam,
  limitParam,
  TokenNameInput,
  UsdInput,
  VaultIdInput,
  VaultIdsInput,
} from "../schemas/primitive-schemas.ts";
import { type RequestedPeriod, refuseReversedPeriod, TimeInput } from "../schemas/time-schema.ts";
import {
  ListedVault,
  VaultDetail,
  VaultSettlement,
  VaultType,
  vaultFamilies,
} from "../schemas/vault-schema.ts";

const vaultsList = defineRoute({
  operationId: "vaults.list",
  method: "get",
  path: "/v1/vaults",
  summary: "List vaults",
  description:
    "Returns the listed vaults, ordered by id or as `sort` says. The `Link` header contains the URL of the next page. A vault that changes places between two pages, because its value of `sort` changed, may be on both or neither. Figures are normally a few minutes old at most: `read_at` names their block. `GET /v1/vaults/{vault_id}` reads the chain.",
  tag: "Vaults",
  access: "public",
  cache: { sMaxAge: 30, staleWhileRevalidate: 60, tags: ["vaults", "chain:{chain_id}"] },
  query: z
    .object({
      chain_id: ChainIdParam.optional().meta({
        description: "Return only vaults on the chain with this EIP-155 id.",
      }),
      asset: TokenNameInput.optional().meta({
        description: "Return only vaults with this underlying asset, given by its address or its symbol.",
      }),
      accepts: TokenNameInput.optional().meta({
        description:
          "Return only vaults that take this token without a swap, given by its address or its symbol. `asset` looks at the " +
          "underlying asset alone.",
      }),
      type: VaultType.optional().meta({ description: "Return only vaults of this type." }),
      family: z.enum(vaultFamilies).optional().meta({
        description: "Return only vaults of this family, which is more specific than `type`.",
        example: "metamorpho",
      }),
      deposit_settlement: VaultSettlement.shape.deposit.optional().meta({
        description: "Return only vaults that settle deposits this way.",
      }),
      withdraw_settlement: VaultSettlement.shape.withdraw.optional().meta({
        description: "Return only vaults that settle withdrawals this way.",
      }),
      curator: z.string().max(120).optional().meta({
        description: "Return only vaults of this curator, in any letter case.",
        example: "Steakhouse Financial",
      }),
      q: z.string().max(120).optional().meta({
        description: "Return only vaults whose name contains this text, in any letter case.",
        example: "steakhouse",
      }),
      paused: BooleanParam.optional().meta({
        description:
          "`true` returns only paused vaults, `false` only vaults that are not paused. Default: both.",
      }),
      min_tvl_usd: UsdInput.optional().meta({
        description:
          "Return only vaults whose net assets are worth at least this many US dollars. Vaults of unknown value are left out.",
        example: "1000000",
      }),
      ids: VaultIdsInput.optional(),
      sort: z.enum(["tvl_usd", "apy_7d", "name", "proven_at"]).optional().meta({
        description: "Order of the list. Vaults with an unknown value come last. Default: by id.",
      }),
      order: z.enum(["asc", "desc"]).optional().meta({
        description: "Direction of `sort`. Default: `asc` for `name`, otherwise `desc`.",
      }),
      cursor: SortedVaultCursor.optional(),
      limit: limitParam(500, 100),
    })
    .superRefine(({ cursor, sort, order }, context) => {
      if (order !== undefined && sort === undefined)
        context.addIssue({ code: "custom", path: ["order"], message: "needs `sort`" });
      const { by, order: direction } = cursor?.sorted ?? {};
      const isSame = cursor === undefined || (by === sort && (order ?? direction) === direction);
      if (!isSame) context.addIssue({ code: "custom", path: ["cursor"], message: NOT_A_CURSOR });
    }),
  response: { schema: z.array(ListedVault), description: "One page of vaults" },
  errors: ["store_unavailable"],
  handler: async (ctx, { query }) => {
    const { cursor, ...asked } = query;
    const { chain_id: chainId, deposit_settlement, withdraw_settlement, min_tvl_usd, ...filter } = asked;
    const page = await listVaults(ctx, {
      ...filter,
      chainId,
      depositSettlement: deposit_settlement,
      withdrawSettlement: withdraw_settlement,
      minTvlUsd: min_tvl_usd === undefined ? undefined : Number(min_tvl_usd),
      after: cursor,
    });
    return pageReply(page, { path: "/v1/vaults", query: { ...asked, ids: asked.ids?.join() } });
  },
});

const vaultsGet = defineRoute({
  operationId: "vaults.get",
  method: "get",
  path: "/v1/vaults/{vault_id}",
  summary: "Read one vault",
  description:
    "The response includes totals, share price and deposit limits, read from the chain. `stale` is true if the chain did not respond.",
  tag: "Vaults",
  access: "public",
  cache: { sMaxAge: 10, staleWhileRevalidate: 30, tags: ["vault:{vault_id}"] },
  params: z.object({ vault_id: VaultIdInput }),
  response: { schema: VaultDetail, description: "The vault" },
  errors: ["vault_not_found", "store_unavailable"],
  handler: (ctx, { params }) => getVault(ctx, params.vault_id),
});

/** Length of a history without `from`, in milliseconds. */
const DEFAULT_RANGE_MS = 30 * DAY_MS;

/**
 * Returns the start and end of a requested history at the current time (`nowMs`, in milliseconds). The default end is
 * now, the default start thirty days before the end.
 */
function timeRangeAt({ from, to }: RequestedPeriod, nowMs: number): { from: Date; to: Date } {
  const end = to?.at(nowMs) ?? new Date(nowMs);
  return { from: from?.at(nowMs) ?? new Date(Math.max(0, end.getTime() - DEFAULT_RANGE_MS)), to: end };
}

const vaultsHistory = defineRoute({
  operationId: "vaults.history",
  method: "get",
  path: "/v1/vaults/{vault_id}/history",
  summary: "Read a vault's history",
  description:
    "Returns one point per interval between the first and the last snapshot in the range, with `null` for intervals without " +
    "a snapshot, and at most the newest thousand points. `from` and `to` are times, or ages such as `90m`, `12h`, `30d` or " +
    "`4w`. Default: the thirty days before `to`, or before now.",
  tag: "Vaults",
  access: "public",
  cache: { sMaxAge: 60, staleWhileRevalidate: 300, tags: ["vault:{vault_id}"] },
  params: z.object({ vault_id: VaultIdInput }),
  query: z
    .object({
      metric: HistoryMetric,
      interval: HistoryInterval.default("1d"),
      from: TimeInput.optional().meta({
        description:
          "Start of the history: an RFC 3339 time, or an age such as `90m`, `12h`, `30d` or `4w`. Default: thirty days " +
          "before `to`.",
        example: "30d",
      }),
      to: TimeInput.optional().meta({
        description:
          "End of the history: an RFC 3339 time, or an age such as `90m`, `12h`, `30d` or `4w`. Default: now.",
        example: "2026-01-02T03:04:05.678Z",
      }),
    })
    .superRefine(refuseReversedPeriod),
  response: { schema: VaultHistory, description: "The history" },
  errors: ["vault_not_found", "store_unavailable"],
  handler: (ctx, { params, query }) =>
    getHistory(ctx, {
      key: params.vault_id,
      metric: query.metric,
      interval: query.interval,
      ...timeRangeAt(query, ctx.now()),
    }),
});

/** Routes that list and read vaults and their history. */
export const vaultRoutes: readonly AnyRoute[] = [vaultsList, vaultsGet, vaultsHistory];
