import { defineRoute } from "../http/define-route.ts";
import { signingErrors } from "../partners/prove-address.ts";
import { register } from "../partners/register.ts";
import { RegisterInput, Registration } from "../schemas/partner.ts";

export const partnersRegister = defineRoute({
  operationId: "partners.register",
  method: "post",
  path: "/v1/partners/register",
  summary: "Register as a partner",
  description: "For approved applicants. The key and its secret are shown this once.",
  tag: "Partners",
  access: "sign_in",
  cache: "no-store",
  body: RegisterInput,
  response: { schema: Registration, description: "The partner, its keys and a session" },
  errors: [
    ...signingErrors,
    "application_required",
    "application_pending",
    "application_rejected",
    "application_revoked",
    "partner_exists",
  ],
  handler: (ctx, { body }) => register(ctx, body),
});
