import { defineRoute } from "../http/define-route.ts";
import { apply } from "../partners/apply.ts";
import { signingErrors } from "../partners/prove-address.ts";
import { ApplicationInput, ApplicationReceipt } from "../schemas/application.ts";

export const applicationsWallet = defineRoute({
  operationId: "applications.wallet",
  method: "post",
  path: "/v1/applications/wallet",
  summary: "Apply to become a partner",
  description: "Signed by the wallet that is to be the partner. A rejected application may be sent again.",
  tag: "Partners",
  access: "sign_in",
  cache: "no-store",
  body: ApplicationInput,
  response: { schema: ApplicationReceipt, description: "The application was filed", status: 201 },
  errors: [...signingErrors, "application_exists", "application_revoked"],
  handler: (ctx, { body }) => apply(ctx, body),
});
