import { defineRoute } from "../http/define-route.ts";
import { issueNonce } from "../partners/issue-nonce.ts";
import { ApplicationNonceInput } from "../schemas/application.ts";
import { Nonce } from "../schemas/signing.ts";

export const applicationsNonce = defineRoute({
  operationId: "applications.nonce",
  method: "post",
  path: "/v1/applications/nonce",
  summary: "Get a message to sign for an application",
  tag: "Partners",
  access: "sign_in",
  cache: "no-store",
  body: ApplicationNonceInput,
  response: { schema: Nonce, description: "The nonce and the message that the wallet signs as it is" },
  errors: ["store_unavailable"],
  handler: (ctx, { body }) =>
    issueNonce(ctx, { address: body.address, purpose: "apply", chainId: body.chain_id }),
});
