import { defineRoute } from "../http/define-route.ts";
import { SignalPage, tiers } from "../schemas/signal.ts";
import { feedQuery, readFeed } from "./intel-feed.ts";

export const intelActivity = defineRoute({
  operationId: "intel.activity",
  method: "get",
  path: "/v1/intel/activity",
  summary: "List movements of capital",
  description: "Signals about capital of any tier, newest first, one for each incident.",
  tag: "Signals",
  access: "public",
  cache: { sMaxAge: 15, staleWhileRevalidate: 60 },
  query: feedQuery.omit({ dimension: true }),
  response: { schema: SignalPage, description: "A page of signals" },
  errors: ["store_unavailable"],
  handler: (ctx, { query }) => readFeed(ctx, { tiers, dimension: "capital", query }),
});
