import { z } from "@hono/zod-openapi";
import { listVaults } from "../catalog/list-vaults.ts";
import { defineRoute, Reply } from "../http/define-route.ts";
import { decodeCursor, encodeCursor } from "../lib/cursor.ts";
import { BooleanParam, ChainIdParam, limitParam } from "../schemas/primitives.ts";
import { ListedVault, VaultType } from "../schemas/vault.ts";

const Cursor = z.string().transform((text, context) => {
  const [vaultId] = decodeCursor(text, 1) ?? [];
  if (vaultId !== undefined && /^[1-9][0-9]{0,15}:0x[0-9a-f]{40}$/.test(vaultId)) return vaultId;
  context.addIssue({ code: "custom", message: "not a cursor of this listing" });
  return z.NEVER;
});

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
    cursor: Cursor.optional().openapi({ type: "string" }),
    limit: limitParam(500, 100),
  }),
  response: { schema: z.array(ListedVault), description: "A page of vaults" },
  errors: ["store_unavailable"],
  handler: async (ctx, { query }) => {
    const { chain_id: chainId, cursor: after, ...filter } = query;
    const { vaults, next } = await listVaults(ctx, { ...filter, chainId, after });
    if (next === null) return vaults;
    const page = new URLSearchParams({ cursor: encodeCursor([next]), limit: String(query.limit) });
    for (const [name, value] of Object.entries({ chain_id: chainId, ...filter })) {
      if (value !== undefined && name !== "limit") page.set(name, String(value));
    }
    return new Reply(vaults, { link: `</v1/vaults?${page}>; rel="next"` });
  },
});
