import { defineRoute } from "../http/define-route.ts";
import { enrolVaults } from "../partners/enrol-vaults.ts";
import { Partner, PartnerVaultsInput } from "../schemas/partner.ts";

export const partnersVaults = defineRoute({
  operationId: "partners.vaults",
  method: "put",
  path: "/v1/partners/vaults",
  summary: "Choose vaults",
  description:
    "Quotes and builds with the partner's key are refused for any other vault: null admits all, an empty list none.",
  tag: "Partners",
  access: "session",
  cache: "no-store",
  body: PartnerVaultsInput,
  response: { schema: Partner, description: "The partner" },
  errors: ["vault_not_found", "partner_not_found"],
  handler: (ctx, { body }) => enrolVaults(ctx, body.vault_ids),
});
