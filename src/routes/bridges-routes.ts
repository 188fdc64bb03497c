import * as z from "zod";
import { type AnyRoute, defineRoute } from "../http/define-route.ts";
import { listBridges } from "../listings/list-bridges.ts";
import { BridgeSummary } from "../schemas/bridge-schema.ts";

const bridgesList = defineRoute({
  operationId: "bridges.list",
  method: "get",
  path: "/v1/bridges",
  summary: "List bridges",
  description:
    "Returns the bridges whose transactions this service decodes and verifies before it returns them. Relay is not supported, because its transactions do not commit to the receiver, token, chain and amount of an order, which are kept off-chain.",
  tag: "Service",
  access: "public",
  cache: { sMaxAge: 300, staleWhileRevalidate: 3_600, tags: ["bridges"] },
  response: { schema: z.array(BridgeSummary), description: "Bridges of this deployment" },
  errors: [],
  handler: (ctx) => listBridges(ctx),
});

/** Route that lists the bridges that cross-chain deposits and withdrawals can use. */
export const bridgeRoutes: readonly AnyRoute[] = [bridgesList];
