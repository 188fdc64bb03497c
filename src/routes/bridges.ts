import * as z from "zod";
import { listBridges } from "../catalog/list-bridges.ts";
import { type AnyRoute, defineRoute } from "../http/define-route.ts";
import { BridgeSummary } from "../schemas/bridge.ts";

const bridgesList = defineRoute({
  operationId: "bridges.list",
  method: "get",
  path: "/v1/bridges",
  summary: "List bridges",
  description:
    "The bridges whose transactions are decoded and compared before anybody sees them. Relay is not among them: receiver, token, chain and amount of its orders are kept off chain, and nothing in the transaction binds them.",
  tag: "Service",
  access: "public",
  cache: { sMaxAge: 300, staleWhileRevalidate: 3_600 },
  response: { schema: z.array(BridgeSummary), description: "The bridges of this deployment" },
  errors: [],
  handler: (ctx) => listBridges(ctx),
});

/** The bridges that may carry a deposit. */
export const bridgeRoutes: readonly AnyRoute[] = [bridgesList];
