import { z } from "@hono/zod-openapi";
import { getVault } from "../catalog/get-vault.ts";
import { defineRoute } from "../http/define-route.ts";
import { VaultIdInput } from "../schemas/primitives.ts";
import { VaultDetail } from "../schemas/vault.ts";

export const vaultsGet = defineRoute({
  operationId: "vaults.get",
  method: "get",
  path: "/v1/vaults/{vault_id}",
  summary: "Read one vault",
  description: "With totals, share price and limits from the chain; `stale` when the chain did not answer.",
  tag: "Vaults",
  access: "public",
  cache: { sMaxAge: 5, staleWhileRevalidate: 30 },
  params: z.object({ vault_id: VaultIdInput }),
  response: { schema: VaultDetail, description: "The vault" },
  errors: ["vault_not_found", "store_unavailable"],
  handler: (ctx, { params }) => getVault(ctx, params.vault_id),
});
