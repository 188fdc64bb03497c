import * as z from "zod";
import { listBridges } from "../catalog/list-bridges.ts";
import { type AnyRoute, defineRoute } from "../http/define-route.ts";
import { BridgeSummary } from "../schemas/bridge-schema.ts";

const bridgesList = defineRoute({
  operationId: "bridges.list",
  method: "get",
  path: "/v1/bridges",
  summary: "List bridges",
  description:
    "Bridges whose transactions this service decodes and verifies before it returns them. Relay is not supported: receiver, token, chain and amount of its orders are kept off chain, and nothing in the transaction commits to them.",
  tag: "Service",
  access: "public",
  cache: { sMaxAge: 300, staleWhileRevalidate: 3_600 },
  response: { schema: z.array(BridgeSummary), description: "The bridges of this deployment" },
  errors: [],
  handler: (ctx) => listBridges(ctx),
});

/** Route that lists the bridges of cross-chain deposits. */
export const bridgeRoutes: readonly AnyRoute[] = [bridgesList];
