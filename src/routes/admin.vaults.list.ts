import { z } from "@hono/zod-openapi";
import { defineRoute } from "../http/define-route.ts";
import { paged } from "../http/paged.ts";
import { listAllVaults } from "../partners/list-all-vaults.ts";
import { VaultRecord } from "../schemas/admin.ts";
import { VaultCursor } from "../schemas/cursor.ts";
import { limitParam } from "../schemas/primitives.ts";

export const adminVaultsList = defineRoute({
  operationId: "admin.vaults.list",
  method: "get",
  path: "/v1/admin/vaults",
  summary: "List the registry",
  description: "Every vault whatever its status, in the order of ids. The `Link` header names the next page.",
  tag: "Administration",
  access: "admin",
  cache: "no-store",
  query: z.object({ cursor: VaultCursor.optional(), limit: limitParam(500, 100) }),
  response: { schema: z.array(VaultRecord), description: "A page of registry rows" },
  errors: ["store_unavailable"],
  handler: async (ctx, { query: { limit, cursor } }) => {
    const page = await listAllVaults(ctx, { limit, after: cursor ?? null });
    return paged(page, { path: "/v1/admin/vaults", query: { limit } });
  },
});
