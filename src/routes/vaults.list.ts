import { z } from "@hono/zod-openapi";
import { listVaults } from "../catalog/list-vaults.ts";
import { defineRoute } from "../http/define-route.ts";
import { paged } from "../http/paged.ts";
import { VaultCursor } from "../schemas/cursor.ts";
import { BooleanParam, ChainIdParam, limitParam } from "../schemas/primitives.ts";
import { ListedVault, VaultType } from "../schemas/vault.ts";

export const vaultsList = defineRoute({
  operationId: "vaults.list",
  method: "get",
  path: "/v1/vaults",
  summary: "List vaults",
  description: "In the order of their ids. The `Link` header names the next page.",
  tag: "Vaults",
  access: "public",
  cache: { sMaxAge: 15, staleWhileRevalidate: 60 },
  query: z.object({
    chain_id: ChainIdParam.optional(),
    asset: z.string().max(64).optional().openapi({ description: "Address or symbol of the asset" }),
    type: VaultType.optional(),
    curator: z.string().max(120).optional(),
    q: z.string().max(120).optional().openapi({ description: "Part of the name" }),
    paused: BooleanParam.optional(),
    cursor: VaultCursor.optional(),
    limit: limitParam(500, 100),
  }),
  response: { schema: z.array(ListedVault), description: "A page of vaults" },
  errors: ["store_unavailable"],
  handler: async (ctx, { query }) => {
    const { cursor, ...asked } = query;
    const { chain_id: chainId, ...filter } = asked;
    const page = await listVaults(ctx, { ...filter, chainId, after: cursor });
    return paged(page, { path: "/v1/vaults", query: asked });
  },
});
