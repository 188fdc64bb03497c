import { z } from "@hono/zod-openapi";
import type { Context } from "../context.ts";
import { DAY_MS } from "../lib/durations.ts";
import { integerParam, limitParam } from "../schemas/primitives.ts";
import { type Dimension, dimensions, type SignalPage, type Tier } from "../schemas/signal.ts";
import { SinceInput } from "../schemas/since.ts";
import { listSignals } from "../signals/list-signals.ts";

const MOST_DAYS = 90;
const DEFAULT_SINCE = "24h";

/** A time at most ninety days back; what time it is, is asked when the request comes. */
const Since = SinceInput.default(() => SinceInput.parse(DEFAULT_SINCE)).superRefine((since, context) => {
  const now = Date.now();
  if (since.at(now).getTime() >= now - MOST_DAYS * DAY_MS) return;
  context.addIssue({ code: "custom", message: `at most ${MOST_DAYS} days back` });
});
const DimensionInput = z
  .string()
  .transform((text) => text.toLowerCase())
  .pipe(z.enum(dimensions))
  .openapi({ type: "string", enum: [...dimensions], description: "In any case" });

/** What a listing of signals is asked. */
export const feedQuery = z.object({
  since: Since.openapi({ type: "string", default: DEFAULT_SINCE }),
  dimension: DimensionInput.optional(),
  limit: limitParam(100, 20),
  offset: integerParam({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
    .optional()
    .transform((offset) => offset ?? 0)
    .openapi({ type: "integer", minimum: 0, default: 0 }),
});

export type FeedQuery = z.output<typeof feedQuery>;

/** Answers one of the listings of signals: they differ in what they list, not in how. Throws `store_unavailable`. */
export async function readFeed(
  ctx: Context,
  feed: { tiers: readonly Tier[]; dimension: Dimension | null; query: Omit<FeedQuery, "dimension"> },
): Promise<SignalPage> {
  const { since, limit, offset } = feed.query;
  const { tiers, dimension } = feed;
  const { signals, total } = await listSignals(ctx, {
    since: since.at(ctx.now()),
    tiers,
    dimension,
    limit,
    offset,
  });
  return { signals, count: signals.length, total, since: since.text, dimension, limit, offset };
}
