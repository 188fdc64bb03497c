import * as z from "zod";
import { type AnyRoute, defineRoute, Reply } from "../http/define-route.ts";
import { listChains } from "../listings/list-chains.ts";
import { Chain } from "../schemas/chain-schema.ts";
import { BooleanParam } from "../schemas/primitive-schemas.ts";

/** Headers of a list in which a Router could not be read, for every cache. */
const NOT_STORED = {
  "cache-control": "private, no-store",
  "cloudflare-cdn-cache-control": "private, no-store",
};

const chainsList = defineRoute({
  operationId: "chains.list",
  method: "get",
  path: "/v1/chains",
  summary: "List chains",
  description: "Caches do not store the response if the Router could not be read on some chain.",
  tag: "Service",
  access: "public",
  // Short, because a node may wrongly say that a chain has no Router.
  cache: { sMaxAge: 60, staleWhileRevalidate: 60, tags: ["chains"] },
  query: z.object({
    source: BooleanParam.optional().meta({
      description:
        "Return only chains that deposits can start from. It has no effect, because every chain qualifies.",
    }),
  }),
  response: { schema: z.array(Chain), description: "Chains of this deployment" },
  errors: [],
  handler: async (ctx) => {
    const { chains, complete } = await listChains(ctx);
    return complete ? chains : new Reply(chains, { headers: NOT_STORED });
  },
});

/** Route that lists the chains that this deployment serves. */
export const chainRoutes: readonly AnyRoute[] = [chainsList];
