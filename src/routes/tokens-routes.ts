import * as z from "zod";
import { type AnyRoute, defineRoute } from "../http/define-route.ts";
import { listTokens, toTokenList } from "../listings/list-tokens.ts";
import { ChainIdParam } from "../schemas/primitive-schemas.ts";
import { TokenList, TokenSummary } from "../schemas/token-schema.ts";

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
    format: z
      .enum(["tokenlist"], 'must be "tokenlist", or absent')
      .optional()
      .meta({ description: "`tokenlist` returns the tokens as a token list for wallets, without prices." }),
  }),
  response: {
    schema: z.union([z.array(TokenSummary), TokenList]),
    description: "Tokens of the chain, the native currency first; with `format=tokenlist` a token list",
  },
  errors: ["chain_unsupported", "store_unavailable"],
  handler: async (ctx, { query: { chain_id: chainId, format } }) => {
    const tokens = await listTokens(ctx, chainId);
    return format === "tokenlist" ? toTokenList(tokens, { chainId, now: ctx.now() }) : tokens;
  },
});

/**
 * Route that lists the tokens of a chain with which deposits can be paid, as an array or in the token list format of
 * wallets.
 */
export const tokenRoutes: readonly AnyRoute[] = [tokensList];
