import { z } from "@hono/zod-openapi";
import { getHistory } from "../history/get-history.ts";
import { defineRoute } from "../http/define-route.ts";
import { DAY_MS } from "../lib/durations.ts";
import { HistoryInterval, HistoryMetric, VaultHistory } from "../schemas/history.ts";
import { VaultIdInput } from "../schemas/primitives.ts";
import { type Since, SinceInput } from "../schemas/since.ts";

/** Thirty days up to the end, when no beginning is asked for. */
const DEFAULT_SPAN_MS = 30 * DAY_MS;

interface Span {
  from?: Since | undefined;
  to?: Since | undefined;
}

/** When a span begins and ends. */
function spanAt({ from, to }: Span, nowMs: number): { from: Date; to: Date } {
  const end = to?.at(nowMs) ?? new Date(nowMs);
  return { from: from?.at(nowMs) ?? new Date(Math.max(0, end.getTime() - DEFAULT_SPAN_MS)), to: end };
}

/** A span that ends before it begins is a mistake; one that begins after now only waits. */
const endsBefore = (span: Span, nowMs: number): boolean => {
  const { from, to } = spanAt(span, nowMs);
  return span.from !== undefined && span.to !== undefined && from > to;
};

export const vaultsHistory = defineRoute({
  operationId: "vaults.history",
  method: "get",
  path: "/v1/vaults/{vault_id}/history",
  summary: "Read a vault's history",
  description:
    "One point for each interval from the first in which the vault was read to the last, null where it was not; the " +
    "newest thousand of the span. `from` and `to` are times, or how long ago: `90m`, `12h`, `30d`, `4w`; without them the " +
    "thirty days up to `to`, or to now.",
  tag: "Vaults",
  access: "public",
  cache: { sMaxAge: 60, staleWhileRevalidate: 300 },
  params: z.object({ vault_id: VaultIdInput }),
  query: z
    .object({
      metric: HistoryMetric,
      interval: HistoryInterval.default("1d"),
      from: SinceInput.optional(),
      to: SinceInput.optional(),
    })
    .superRefine((query, context) => {
      if (endsBefore(query, Date.now()))
        context.addIssue({ code: "custom", path: ["from"], message: "must not lie after `to`" });
    }),
  response: { schema: VaultHistory, description: "The history" },
  errors: ["vault_not_found", "store_unavailable"],
  handler: (ctx, { params, query }) =>
    getHistory(ctx, {
      key: params.vault_id,
      metric: query.metric,
      interval: query.interval,
      ...spanAt(query, ctx.now()),
    }),
});
