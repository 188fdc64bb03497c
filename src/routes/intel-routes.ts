import * as z from "zod";
import type { Context } from "../context.ts";
import { type AnyRoute, defineRoute } from "../http/define-route.ts";
import { DAY_MS } from "../lib/durations.ts";
import { formatVaultId } from "../lib/vault-id.ts";
import { integerParam, limitParam, VaultIdInput } from "../schemas/primitive-schemas.ts";
import {
  type Dimension,
  dimensions,
  Rule,
  SignalDetail,
  SignalPage,
  type Tier,
  tiers,
} from "../schemas/signal-schema.ts";
import { TimeInput } from "../schemas/time-schema.ts";
import { listRules } from "../signals/list-signal-rules.ts";
import { getSignal, listSignals } from "../signals/list-signals.ts";

/** How far back a signal listing may start, in days. */
const MAX_DAYS_BACK = 90;
/** Start of a signal listing without `since`. */
const DEFAULT_SINCE = "24h";

/** Schema of the `since` parameter: a time at most ninety days before the request. */
const FeedSince = TimeInput.default(() => TimeInput.parse(DEFAULT_SINCE)).superRefine((since, context) => {
  const now = Date.now();
  if (since.at(now).getTime() >= now - MAX_DAYS_BACK * DAY_MS) return;
  context.addIssue({ code: "custom", message: `at most ${MAX_DAYS_BACK} days back` });
});
/** Schema of the `dimension` parameter, in any letter case. */
const DimensionInput = z
  .string()
  .transform((text) => text.toLowerCase())
  .pipe(z.enum(dimensions))
  .meta({
    type: "string",
    enum: [...dimensions],
    description:
      "Return only signals about this aspect of a vault, in any letter case. Default: all aspects.",
  });

/** Schema of the query parameters of the signal listings. */
const signalFeedQuery = z.object({
  since: FeedSince.meta({
    type: "string",
    default: DEFAULT_SINCE,
    description:
      "Start of the period: an RFC 3339 time, or an age such as `90m`, `12h`, `30d` or `4w`. At most ninety days ago.",
  }),
  dimension: DimensionInput.optional(),
  limit: limitParam(100, 20),
  offset: integerParam({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
    .optional()
    .transform((offset) => offset ?? 0)
    .meta({ type: "integer", minimum: 0, default: 0, description: "Number of signals to skip." }),
});

/** Schema of the query parameters of the feed, which can also be that of one vault. */
const feedQuery = signalFeedQuery.extend({
  vault_id: VaultIdInput.optional().meta({
    description: "Return only signals about this vault. An unknown vault has none.",
  }),
});

/** Parsed query parameters of a signal listing. */
type SignalFeedQuery = z.output<typeof signalFeedQuery>;

/**
 * Returns one page of signals with the requested tiers and dimension, newest first. A null dimension selects all
 * dimensions; without a vault id, the signals of all vaults are returned. Throws `store_unavailable`.
 */
async function readSignalFeed(
  ctx: Context,
  feed: {
    tiers: readonly Tier[];
    dimension: Dimension | null;
    vaultId?: string | undefined;
    query: Omit<SignalFeedQuery, "dimension">;
  },
): Promise<SignalPage> {
  const { since, limit, offset } = feed.query;
  const { tiers, dimension, vaultId } = feed;
  const { signals, total } = await listSignals(ctx, {
    since: since.at(ctx.now()),
    ...{ tiers, dimension, vaultId, limit, offset },
  });
  return { signals, count: signals.length, total, since: since.text, dimension, limit, offset };
}

const intelNotable = defineRoute({
  operationId: "intel.notable",
  method: "get",
  path: "/v1/intel/notable",
  summary: "List notable signals",
  description: "Returns signals of medium severity, newest first, one for each incident.",
  tag: "Signals",
  access: "public",
  cache: { sMaxAge: 30, staleWhileRevalidate: 60, tags: ["signals"] },
  query: signalFeedQuery,
  response: { schema: SignalPage, description: "One page of signals" },
  errors: ["store_unavailable"],
  handler: (ctx, { query }) =>
    readSignalFeed(ctx, { tiers: ["medium"], dimension: query.dimension ?? null, query }),
});

const intelHigh = defineRoute({
  operationId: "intel.high",
  method: "get",
  path: "/v1/intel/high",
  summary: "List urgent signals",
  description: "Returns signals of high severity, newest first, one for each incident.",
  tag: "Signals",
  access: "public",
  cache: { sMaxAge: 30, staleWhileRevalidate: 60, tags: ["signals"] },
  query: signalFeedQuery,
  response: { schema: SignalPage, description: "One page of signals" },
  errors: ["store_unavailable"],
  handler: (ctx, { query }) =>
    readSignalFeed(ctx, { tiers: ["high"], dimension: query.dimension ?? null, query }),
});

const intelActivity = defineRoute({
  operationId: "intel.activity",
  method: "get",
  path: "/v1/intel/activity",
  summary: "List recent signals",
  description:
    "Returns signals of any severity and aspect, newest first, one for each incident, as `GET /v1/intel/feed` does.",
  tag: "Signals",
  access: "public",
  cache: { sMaxAge: 30, staleWhileRevalidate: 60, tags: ["signals"] },
  query: signalFeedQuery,
  response: { schema: SignalPage, description: "One page of signals" },
  errors: ["store_unavailable"],
  handler: (ctx, { query }) => readSignalFeed(ctx, { tiers, dimension: query.dimension ?? null, query }),
});

const intelFeed = defineRoute({
  operationId: "intel.feed",
  method: "get",
  path: "/v1/intel/feed",
  summary: "List all signals",
  description:
    "Returns signals of any severity, newest first, one for each incident; with `vault_id`, those about one vault.",
  tag: "Signals",
  access: "public",
  cache: { sMaxAge: 30, staleWhileRevalidate: 60, tags: ["signals"] },
  query: feedQuery,
  response: { schema: SignalPage, description: "One page of signals" },
  errors: ["store_unavailable"],
  handler: (ctx, { query }) => {
    const vaultId = query.vault_id === undefined ? undefined : formatVaultId(query.vault_id);
    return readSignalFeed(ctx, { tiers, dimension: query.dimension ?? null, vaultId, query });
  },
});

const intelRules = defineRoute({
  operationId: "intel.rules",
  method: "get",
  path: "/v1/intel/rules",
  summary: "List signal rules",
  description:
    "Returns the rules that raise signals: their thresholds, the reasons for them, and the history that each rule needs.",
  tag: "Signals",
  access: "public",
  cache: { sMaxAge: 300, staleWhileRevalidate: 3_600, tags: ["rules"] },
  response: { schema: z.array(Rule), description: "The rules" },
  errors: [],
  handler: () => listRules(),
});

/** Schema of a signal id in a path. */
const SignalId = z
  .string()
  .regex(
    /^sig_[0-9a-f]{32}$/,
    "must be a signal id: sig_ and 32 hexadecimal digits, as GET /v1/intel/feed lists it",
  )
  .meta({
    type: "string",
    pattern: "^sig_[0-9a-f]{32}$",
    description: "Id of the signal.",
    example: "sig_0123456789abcdef0123456789abcdef",
  });

const intelSignalsGet = defineRoute({
  operationId: "intel.signals.get",
  method: "get",
  path: "/v1/intel/signals/{signal_id}",
  summary: "Read one signal",
  description: "The response includes the evidence and the course of the incident.",
  tag: "Signals",
  access: "public",
  cache: { sMaxAge: 30, staleWhileRevalidate: 60, tags: ["signals"] },
  params: z.object({ signal_id: SignalId }),
  response: { schema: SignalDetail, description: "The signal" },
  errors: ["signal_not_found", "store_unavailable"],
  handler: (ctx, { params }) => getSignal(ctx, params.signal_id),
});

/** Routes that list signals, read one signal, and list the rules that raise them. */
export const intelRoutes: readonly AnyRoute[] = [
  intelNotable,
  intelHigh,
  intelActivity,
  intelFeed,
  intelRules,
  intelSignalsGet,
];
