import { defineRoute } from "../http/define-route.ts";
import { issueNonce } from "../partners/issue-nonce.ts";
import { PartnerNonceInput } from "../schemas/partner.ts";
import { Nonce } from "../schemas/signing.ts";

export const partnersNonce = defineRoute({
  operationId: "partners.nonce",
  method: "post",
  path: "/v1/partners/nonce",
  summary: "Get a message to sign",
  description: "An EIP-4361 text for one wallet and one purpose. Its nonce works once, within ten minutes.",
  tag: "Partners",
  access: "sign_in",
  cache: "no-store",
  body: PartnerNonceInput,
  response: { schema: Nonce, description: "The nonce and the message that the wallet signs as it is" },
  errors: ["store_unavailable"],
  handler: (ctx, { body }) =>
    issueNonce(ctx, { address: body.address, purpose: body.purpose ?? null, chainId: body.chain_id }),
});
