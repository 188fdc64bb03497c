import * as z from "zod";
import { type AnyRoute, defineRoute, Reply } from "../http/define-route.ts";
import { pageReply } from "../http/page-reply.ts";
import { addVault } from "../registry/add-vault.ts";
import { changeVault } from "../registry/change-vault.ts";
import { proveVaultNow } from "../registry/prove-due-vaults.ts";
import { listVaultRecords } from "../registry/vault-records.ts";
import { NewVaultInput, VaultChangeInput, VaultRecord } from "../schemas/admin-schema.ts";
import { VaultCursor } from "../schemas/cursor-schema.ts";
import { limitParam, VaultIdInput } from "../schemas/primitive-schemas.ts";

const adminVaultsList = defineRoute({
  operationId: "admin.vaults.list",
  method: "get",
  path: "/v1/admin/vaults",
  summary: "List the vaults in the registry",
  description:
    "Returns vaults of every status, ordered by id. The `Link` header contains the URL of the next page.",
  tag: "Administration",
  access: "admin",
  cache: "no-store",
  query: z.object({ cursor: VaultCursor.optional(), limit: limitParam(500, 100) }),
  response: { schema: z.array(VaultRecord), description: "One page of registry entries" },
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
    "Adds a vault with status `unsupported`. Its contract addresses are read from on-chain data now, and again when it is activated. A vault that already exists stays unchanged and is returned with 200.",
  tag: "Administration",
  access: "admin",
  cache: "no-store",
  body: NewVaultInput,
  response: {
    schema: VaultRecord,
    description: "The new registry entry",
    status: 201,
    existing: "The unchanged registry entry of a vault that already existed",
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
  summary: "Change the status of a vault",
  description: "The change takes effect immediately in builds and within a minute in lists of vaults.",
  tag: "Administration",
  access: "admin",
  cache: "no-store",
  params: z.object({ vault_id: VaultIdInput }),
  body: VaultChangeInput,
  response: { schema: VaultRecord, description: "The changed registry entry" },
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

const adminVaultsProve = defineRoute({
  operationId: "admin.vaults.prove",
  method: "post",
  path: "/v1/admin/vaults/{vault_id}/prove",
  summary: "Prove a vault now",
  description:
    "Reads the vault's contracts from on-chain data, compares them with its entry and simulates a deposit. A candidate becomes `active` if this succeeds and `refused` if it fails. Statuses that an administrator set do not change.",
  tag: "Administration",
  access: "admin",
  cache: "no-store",
  params: z.object({ vault_id: VaultIdInput }),
  response: { schema: VaultRecord, description: "The registry entry after the proof" },
  errors: ["vault_not_found", "store_unavailable", "upstream_unavailable"],
  handler: (ctx, { params }) => proveVaultNow(ctx, params.vault_id),
});

/** Routes by which administrators list, add and change vaults in the registry. */
export const adminVaultRoutes: readonly AnyRoute[] = [
  adminVaultsList,
  adminVaultsAdd,
  adminVaultsChange,
  adminVaultsProve,
];
