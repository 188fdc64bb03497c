import { defineRoute } from "../http/define-route.ts";
import { SignalPage } from "../schemas/signal.ts";
import { feedQuery, readFeed } from "./intel-feed.ts";

export const intelHigh = defineRoute({
  operationId: "intel.high",
  method: "get",
  path: "/v1/intel/high",
  summary: "List urgent signals",
  description: "High-tier signals, newest first, one for each incident.",
  tag: "Signals",
  access: "public",
  cache: { sMaxAge: 15, staleWhileRevalidate: 60 },
  query: feedQuery,
  response: { schema: SignalPage, description: "A page of signals" },
  errors: ["store_unavailable"],
  handler: (ctx, { query }) => readFeed(ctx, { tiers: ["high"], dimension: query.dimension ?? null, query }),
});
