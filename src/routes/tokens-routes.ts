import * as z from "zod";
import { listTokens } from "../catalog/list-tokens.ts";
import { type AnyRoute, defineRoute } from "../http/define-route.ts";
import { ChainIdParam } from "../schemas/primitive-schemas.ts";
import { TokenSummary } from "../schemas/token-schema.ts";

const tokensList = defineRoute({
  operationId: "tokens.list",
  method: "get",
  path: "/v1/tokens",
  summary: "List tokens",
  description: "Tokens that deposits can start from on a chain, with decimals confirmed on chain.",
  tag: "Service",
  access: "public",
  cache: { sMaxAge: 300, staleWhileRevalidate: 3_600 },
  query: z.object({
    chain_id: ChainIdParam.meta({ description: "EIP-155 id of the chain whose tokens to list." }),
  }),
  response: { schema: z.array(TokenSummary), description: "The tokens, with the native token first" },
  errors: ["chain_unsupported", "store_unavailable"],
  handler: (ctx, { query }) => listTokens(ctx, query.chain_id),
});

/** Route that lists the tokens that a deposit can start from. */
export const tokenRoutes: readonly AnyRoute[] = [tokensList];
