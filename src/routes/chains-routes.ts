import * as z from "zod";
import { type AnyRoute, defineRoute } from "../http/define-route.ts";
import { listChains } from "../listings/list-chains.ts";
import { Chain } from "../schemas/chain-schema.ts";
import { BooleanParam } from "../schemas/primitive-schemas.ts";

const chainsList = defineRoute({
  operationId: "chains.list",
  method: "get",
  path: "/v1/chains",
  summary: "List chains",
  tag: "Service",
  access: "public",
  cache: { sMaxAge: 3_600, staleWhileRevalidate: 3_600, tags: ["chains"] },
  query: z.object({
    source: BooleanParam.optional().meta({
      description:
        "Return only chains that deposits can start from. It has no effect, because every chain qualifies.",
    }),
  }),
  response: { schema: z.array(Chain), description: "Chains of this deployment" },
  errors: [],
  handler: (ctx) => listChains(ctx),
});

/** Route that lists the chains that this deployment serves. */
export const chainRoutes: readonly AnyRoute[] = [chainsList];
