import * as z from "zod";
import { type AnyRoute, defineRoute } from "../http/define-route.ts";
import { getPositions } from "../positions/get-positions.ts";
import { Positions } from "../schemas/position-schema.ts";
import { ChainIdParam, WalletParam } from "../schemas/primitive-schemas.ts";

const positionsGet = defineRoute({
  operationId: "positions.get",
  method: "get",
  path: "/v1/positions/{user_address}",
  summary: "Read a user's positions",
  description:
    "Returns the user's shares and open requests in vaults that are paused, or that are or were open for deposits. `chains` names the block at which each chain was first read.",
  tag: "Positions",
  access: "public",
  limit: "positions",
  cache: "no-store",
  params: z.object({ user_address: WalletParam }),
  query: z.object({
    chain_id: ChainIdParam.optional().meta({
      description: "Return only positions on the chain with this EIP-155 id.",
    }),
  }),
  response: { schema: Positions, description: "The positions" },
  errors: ["chain_unsupported", "upstream_unavailable", "upstream_timeout", "store_unavailable"],
  handler: (ctx, { params, query }) =>
    getPositions(ctx, { user: params.user_address, chainId: query.chain_id ?? null }),
});

/** Route that returns a user's positions, on all chains or one. */
export const positionRoutes: readonly AnyRoute[] = [positionsGet];
