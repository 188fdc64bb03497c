import * as z from "zod";
import { getActions } from "../actions/get-available-actions.ts";
import { type AnyRoute, defineRoute } from "../http/define-route.ts";
import { formatVaultId } from "../lib/vault-id.ts";
import { VaultActions } from "../schemas/position-schema.ts";
import { VaultIdInput, WalletParam } from "../schemas/primitive-schemas.ts";

const actionsGet = defineRoute({
  operationId: "actions.get",
  method: "get",
  path: "/v1/actions/{user_address}/{vault_id}",
  summary: "Read a user's possible actions at a vault",
  description:
    "Returns whether the user can deposit, withdraw, claim and cancel now, each with the largest amount or with the error code that a build would return, and the user's open requests. A pause of deposits by this service does not stop withdrawals.",
  tag: "Positions",
  access: "public",
  cache: "no-store",
  params: z.object({ user_address: WalletParam, vault_id: VaultIdInput }),
  response: { schema: VaultActions, description: "The actions" },
  errors: [
    "vault_not_found",
    "chain_unsupported",
    "upstream_unavailable",
    "upstream_timeout",
    "store_unavailable",
  ],
  handler: (ctx, { params }) =>
    getActions(ctx, { user: params.user_address, vaultId: formatVaultId(params.vault_id) }),
});

/** Route that returns what a user can do at a vault now, and the user's open requests there. */
export const actionRoutes: readonly AnyRoute[] = [actionsGet];
