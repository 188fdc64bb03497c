import { defineRoute } from "../http/define-route.ts";
import { SignalPage } from "../schemas/signal.ts";
import { feedQuery, readFeed } from "./intel-feed.ts";

export const intelNotable = defineRoute({
  operationId: "intel.notable",
  method: "get",
  path: "/v1/intel/notable",
  summary: "List notable signals",
  description: "Medium-tier signals, newest first, one for each incident.",
  tag: "Signals",
  access: "public",
  cache: { sMaxAge: 15, staleWhileRevalidate: 60 },
  query: feedQuery,
  response: { schema: SignalPage, description: "A page of signals" },
  errors: ["store_unavailable"],
  handler: (ctx, { query }) =>
    readFeed(ctx, { tiers: ["medium"], dimension: query.dimension ?? null, query }),
});
