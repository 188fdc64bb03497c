import { z } from "@hono/zod-openapi";
import { getHistory } from "../history/get-history.ts";
import { defineRoute } from "../http/define-route.ts";
import { HistoryInterval, HistoryMetric, VaultHistory } from "../schemas/history.ts";
import { VaultIdInput } from "../schemas/primitives.ts";
import { SinceInput } from "../schemas/since.ts";

/** Thirty days, when nothing is asked for. */
const DEFAULT_SPAN = "30d";

export const vaultsHistory = defineRoute({
  operationId: "vaults.history",
  method: "get",
  path: "/v1/vaults/{vault_id}/history",
  summary: "Read a vault's history",
  description:
    "One point for each interval from the first in which the vault was read to the last, null where it was not; the " +
    "newest thousand of the span. `from` and `to` are times, or how long ago: `90m`, `12h`, `30d`, `4w`.",
  tag: "Vaults",
  access: "public",
  cache: { sMaxAge: 60, staleWhileRevalidate: 300 },
  params: z.object({ vault_id: VaultIdInput }),
  query: z.object({
    metric: HistoryMetric,
    interval: HistoryInterval.default("1d"),
    from: SinceInput.optional(),
    to: SinceInput.optional(),
  }),
  response: { schema: VaultHistory, description: "The history" },
  errors: ["vault_not_found", "store_unavailable"],
  handler: (ctx, { params, query }) =>
    getHistory(ctx, {
      key: params.vault_id,
      metric: query.metric,
      interval: query.interval,
      from: (query.from ?? SinceInput.parse(DEFAULT_SPAN)).at(ctx.now()),
      to: query.to?.at(ctx.now()) ?? new Date(ctx.now()),
    }),
});
