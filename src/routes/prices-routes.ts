import * as z from "zod";
import { type AnyRoute, defineRoute } from "../http/define-route.ts";
import { listPrices } from "../listings/list-prices.ts";
import { PriceIdsParam, TokenPriceText } from "../schemas/price-schema.ts";

const pricesList = defineRoute({
  operationId: "prices.list",
  method: "get",
  path: "/v1/prices",
  summary: "List prices",
  description:
    "Returns prices of tokens in US dollars, with source and age. They come from price feeds on chain, then from a public " +
    "price API; the figures are `null` for a token that neither gives in time, and on a chain that is not served.",
  tag: "Service",
  access: "public",
  cache: { sMaxAge: 15, staleWhileRevalidate: 60, tags: ["prices"] },
  query: z.object({ ids: PriceIdsParam }),
  response: {
    schema: z.array(TokenPriceText),
    description: "One price per token, in the order of the request",
  },
  errors: [],
  handler: (ctx, { query }) => listPrices(ctx, query.ids),
});

/** Route that returns prices of tokens in US dollars. */
export const priceRoutes: readonly AnyRoute[] = [pricesList];
