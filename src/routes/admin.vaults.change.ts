import { z } from "@hono/zod-openapi";
import { defineRoute } from "../http/define-route.ts";
import { changeVault } from "../partners/change-vault.ts";
import { VaultChangeInput, VaultRecord } from "../schemas/admin.ts";
import { VaultIdInput } from "../schemas/primitives.ts";

export const adminVaultsChange = defineRoute({
  operationId: "admin.vaults.change",
  method: "patch",
  path: "/v1/admin/vaults/{vault_id}",
  summary: "Change a vault's status",
  description: "Builds see it at once, lists within a minute.",
  tag: "Administration",
  access: "admin",
  cache: "no-store",
  params: z.object({ vault_id: VaultIdInput }),
  body: VaultChangeInput,
  response: { schema: VaultRecord, description: "The registry row" },
  errors: [
    "vault_not_found",
    "chain_unsupported",
    "store_unavailable",
    "upstream_unavailable",
    "upstream_rejected",
    "upstream_timeout",
  ],
  handler: (ctx, { params, body }) => changeVault(ctx, { key: params.vault_id, change: body }),
});
