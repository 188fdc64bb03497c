import * as z from "zod";
import { getVault } from "../catalog/get-vault.ts";
import { listVaults } from "../catalog/list-vaults.ts";
import { getHistory } from "../history/get-vault-history.ts";
import { type AnyRoute, defineRoute } from "../http/define-route.ts";
import { pageReply } from "../http/page-reply.ts";
import { DAY_MS } from "../lib/durations.ts";
import { VaultCursor } from "../schemas/cursor-schema.ts";
import { HistoryInterval, HistoryMetric, VaultHistory } from "../schemas/history-schema.ts";
import { BooleanParam, ChainIdParam, limitParam, VaultIdInput } from "../schemas/primitive-schemas.ts";
import { type RequestedTime, TimeInput } from "../schemas/time-schema.ts";
import { ListedVault, VaultDetail, VaultType } from "../schemas/vault-schema.ts";

const vaultsList = defineRoute({
  operationId: "vaults.list",
  method: "get",
  path: "/v1/vaults",
  summary: "List vaults",
  description: "Ordered by id. The `Link` header has the URL of the next page.",
  tag: "Vaults",
  access: "public",
  cache: { sMaxAge: 15, staleWhileRevalidate: 60 },
  query: z.object({
    chain_id: ChainIdParam.optional().meta({ description: "Only vaults on the chain with this EIP-155 id." }),
    asset: z.string().max(64).optional().meta({
      description: "Only vaults with this underlying asset: its address or its symbol.",
      example: "USDC",
    }),
    type: VaultType.optional().meta({ description: "Only vaults of this family." }),
    curator: z.string().max(120).optional().meta({
      description: "Only vaults of this curator, in any letter case.",
      example: "Steakhouse Financial",
    }),
    q: z.string().max(120).optional().meta({
      description: "Only vaults whose name contains this text.",
      example: "steakhouse",
    }),
    paused: BooleanParam.optional().meta({
      description: "`true` for paused vaults only, `false` for open ones only. Default: both.",
    }),
    cursor: VaultCursor.optional(),
    limit: limitParam(500, 100),
  }),
  response: { schema: z.array(ListedVault), description: "A page of vaults" },
  errors: ["store_unavailable"],
  handler: async (ctx, { query }) => {
    const { cursor, ...asked } = query;
    const { chain_id: chainId, ...filter } = asked;
    const page = await listVaults(ctx, { ...filter, chainId, after: cursor });
    return pageReply(page, { path: "/v1/vaults", query: asked });
  },
});

const vaultsGet = defineRoute({
  operationId: "vaults.get",
  method: "get",
  path: "/v1/vaults/{vault_id}",
  summary: "Read one vault",
  description:
    "Includes totals, share price and deposit limits from the chain; `stale` is true when the chain did not respond.",
  tag: "Vaults",
  access: "public",
  cache: { sMaxAge: 5, staleWhileRevalidate: 30 },
  params: z.object({ vault_id: VaultIdInput }),
  response: { schema: VaultDetail, description: "The vault" },
  errors: ["vault_not_found", "store_unavailable"],
  handler: (ctx, { params }) => getVault(ctx, params.vault_id),
});

/** Length of a history without `from`, milliseconds. */
const DEFAULT_RANGE_MS = 30 * DAY_MS;

/** Requested start and end of a history. */
interface TimeRange {
  from?: RequestedTime | undefined;
  to?: RequestedTime | undefined;
}

/** Resolves a time range at the current time, with defaults for a missing start or end. */
function timeRangeAt({ from, to }: TimeRange, nowMs: number): { from: Date; to: Date } {
  const end = to?.at(nowMs) ?? new Date(nowMs);
  return { from: from?.at(nowMs) ?? new Date(Math.max(0, end.getTime() - DEFAULT_RANGE_MS)), to: end };
}

/** Returns true when both ends are given and the start is after the end. A start in the future is allowed. */
const endsBefore = (span: TimeRange, nowMs: number): boolean => {
  const { from, to } = timeRangeAt(span, nowMs);
  return span.from !== undefined && span.to !== undefined && from > to;
};

const vaultsHistory = defineRoute({
  operationId: "vaults.history",
  method: "get",
  path: "/v1/vaults/{vault_id}/history",
  summary: "Read a vault's history",
  description:
    "One point per interval between the first and the last snapshot in the range, with `null` for intervals without one; at " +
    "most the newest thousand points. `from` and `to` are times or ages, such as `90m`, `12h`, `30d` or `4w`. Default: the " +
    "thirty days before `to`, or before now.",
  tag: "Vaults",
  access: "public",
  cache: { sMaxAge: 60, staleWhileRevalidate: 300 },
  params: z.object({ vault_id: VaultIdInput }),
  query: z
    .object({
      metric: HistoryMetric,
      interval: HistoryInterval.default("1d"),
      from: TimeInput.optional().meta({
        description:
          "Start of the history: an RFC 3339 time, or how long ago: `90m`, `12h`, `30d`, `4w`. Default: thirty days before " +
          "`to`.",
        example: "30d",
      }),
      to: TimeInput.optional().meta({
        description:
          "End of the history: an RFC 3339 time, or how long ago: `90m`, `12h`, `30d`, `4w`. Default: now.",
        example: "2026-01-02T03:04:05.678Z",
      }),
    })
    .superRefine((query, context) => {
      if (endsBefore(query, Date.now()))
        context.addIssue({ code: "custom", path: ["from"], message: "must not be after `to`" });
    }),
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

/** Routes of vaults and their history. */
export const vaultRoutes: readonly AnyRoute[] = [vaultsList, vaultsGet, vaultsHistory];
