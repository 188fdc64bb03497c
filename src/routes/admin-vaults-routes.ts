import * as z from "zod";
import { type AnyRoute, defineRoute, Reply } from "../http/define-route.ts";
import { pageReply } from "../http/page-reply.ts";
import { addVault } from "../registry/add-vault.ts";
import { changeVault } from "../registry/change-vault.ts";
import { listVaultRecords } from "../registry/vault-records.ts";
import { NewVaultInput, VaultChangeInput, VaultRecord } from "../schemas/admin-schema.ts";
import { VaultCursor } from "../schemas/cursor-schema.ts";
import { limitParam, VaultIdInput } from "../schemas/primitive-schemas.ts";

const adminVaultsList = defineRoute({
  operationId: "admin.vaults.list",
  method: "get",
  path: "/v1/admin/vaults",
  summary: "List registry vaults",
  description: "Vaults of every status, ordered by id. The `Link` header has the URL of the next page.",
  tag: "Administration",
  access: "admin",
  cache: "no-store",
  query: z.object({ cursor: VaultCursor.optional(), limit: limitParam(500, 100) }),
  response: { schema: z.array(VaultRecord), description: "A page of registry rows" },
  errors: ["store_unavailable"],
  handler: async (ctx, { query: { limit, cursor } }) => {
    const page = await listVaultRecords(ctx, { limit, after: cursor ?? null });
    return pageReply(page, { path: "/v1/admin/vaults", query: { limit } });
  },
});

const adminVaultsAdd = defineRoute({
  operationId: "admin.vaults.add",
  method: "post",
  path: "/v1/admin/vaults",
  summary: "Add a vault",
  description:
    "Adds a vault with status `unsupported`. Activating it derives its addresses from the chain. An existing vault stays unchanged and is returned with 200.",
  tag: "Administration",
  access: "admin",
  cache: "no-store",
  body: NewVaultInput,
  response: {
    schema: VaultRecord,
    description: "The registry row",
    status: 201,
    existing: "The registry row of a vault that existed already, unchanged",
  },
  errors: ["chain_unsupported", "store_unavailable"],
  handler: async (ctx, { body }) => {
    const { record, added } = await addVault(ctx, body);
    return new Reply(record, { existing: !added });
  },
});

const adminVaultsChange = defineRoute({
  operationId: "admin.vaults.change",
  method: "patch",
  path: "/v1/admin/vaults/{vault_id}",
  summary: "Change a vault's status",
  description: "Takes effect at once for builds and within a minute in listings.",
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

/** Routes of the vault registry, for administrators. */
export const adminVaultRoutes: readonly AnyRoute[] = [adminVaultsList, adminVaultsAdd, adminVaultsChange];
