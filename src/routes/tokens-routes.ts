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
  description:
    "Returns the tokens of a chain that deposits can be paid with. Their decimals have been verified on-chain.",
  tag: "Service",
  access: "public",
  cache: { sMaxAge: 30, staleWhileRevalidate: 300, tags: ["tokens", "chain:{chain_id}"] },
  query: z.object({
    chain_id: ChainIdParam.meta({ description: "EIP-155 id of the chain whose tokens are listed." }),
  }),
  response: { schema: z.array(TokenSummary), description: "Tokens of the chain, the native currency first" },
  errors: ["chain_unsupported", "store_unavailable"],
  handler: (ctx, { query }) => listTokens(ctx, query.chain_id),
});

/** Route that lists the tokens of a chain that deposits can be paid with. */
export const tokenRoutes: readonly AnyRoute[] = [tokensList];
