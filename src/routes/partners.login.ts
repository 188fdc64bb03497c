import { defineRoute } from "../http/define-route.ts";
import { login } from "../partners/login.ts";
import { signingErrors } from "../partners/prove-address.ts";
import { Login, LoginInput } from "../schemas/partner.ts";

export const partnersLogin = defineRoute({
  operationId: "partners.login",
  method: "post",
  path: "/v1/partners/login",
  summary: "Sign in",
  tag: "Partners",
  access: "sign_in",
  cache: "no-store",
  body: LoginInput,
  response: { schema: Login, description: "A session of 24 hours" },
  errors: [
    ...signingErrors,
    "application_required",
    "application_pending",
    "application_rejected",
    "application_revoked",
    "partner_not_found",
  ],
  handler: (ctx, { body }) => login(ctx, body),
});
