import { defineRoute } from "../http/define-route.ts";
import { SignalPage, tiers } from "../schemas/signal.ts";
import { feedQuery, readFeed } from "./intel-feed.ts";

export const intelFeed = defineRoute({
  operationId: "intel.feed",
  method: "get",
  path: "/v1/intel/feed",
  summary: "List all signals",
  description: "Signals of any tier, newest first, one for each incident.",
  tag: "Signals",
  access: "public",
  cache: { sMaxAge: 15, staleWhileRevalidate: 60 },
  query: feedQuery,
  response: { schema: SignalPage, description: "A page of signals" },
  errors: ["store_unavailable"],
  handler: (ctx, { query }) => readFeed(ctx, { tiers, dimension: query.dimension ?? null, query }),
});
