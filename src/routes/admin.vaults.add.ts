import { defineRoute, Reply } from "../http/define-route.ts";
import { addVault } from "../partners/add-vault.ts";
import { NewVaultInput, VaultRecord } from "../schemas/admin.ts";

export const adminVaultsAdd = defineRoute({
  operationId: "admin.vaults.add",
  method: "post",
  path: "/v1/admin/vaults",
  summary: "Add a vault",
  description:
    "Unsupported until it is activated, which needs its addresses to be derived from the chain. A vault that is there stays as it is, and is shown with 200.",
  tag: "Administration",
  access: "admin",
  cache: "no-store",
  body: NewVaultInput,
  response: {
    schema: VaultRecord,
    description: "The registry row",
    status: 201,
    standing: "The registry row of a vault that was there already, as it is",
  },
  errors: ["chain_unsupported", "store_unavailable"],
  handler: async (ctx, { body }) => {
    const { record, added } = await addVault(ctx, body);
    return new Reply(record, { standing: !added });
  },
});
