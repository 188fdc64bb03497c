import * as z from "zod";
import { type AnyRoute, defineRoute } from "../http/define-route.ts";
import { getApplication, submitApplication } from "../partners/partner-applications.ts";
import { issueNonce, signingErrors } from "../partners/siwe-message.ts";
import {
  Application,
  ApplicationInput,
  ApplicationNonceInput,
  ApplicationReceipt,
} from "../schemas/partner-application-schema.ts";
import { WalletParam } from "../schemas/primitive-schemas.ts";
import { Nonce } from "../schemas/signing-schema.ts";

const applicationsNonce = defineRoute({
  operationId: "applications.nonce",
  method: "post",
  path: "/v1/applications/nonce",
  summary: "Issue a message to sign for a partner application",
  tag: "Partners",
  access: "sign_in",
  limit: "nonce",
  cache: "no-store",
  body: ApplicationNonceInput,
  response: { schema: Nonce, description: "The nonce, and the message that the wallet must sign unchanged" },
  errors: ["store_unavailable"],
  handler: (ctx, { body }) =>
    issueNonce(ctx, { address: body.address, purpose: "apply", chainId: body.chain_id }),
});

const applicationsWallet = defineRoute({
  operationId: "applications.wallet",
  method: "post",
  path: "/v1/applications/wallet",
  summary: "Apply to become a partner",
  description:
    "Submits a partner application, signed by the applicant's wallet. After a rejection the wallet can apply again.",
  tag: "Partners",
  access: "sign_in",
  limit: "register",
  cache: "no-store",
  body: ApplicationInput,
  response: { schema: ApplicationReceipt, description: "The partner application was submitted", status: 201 },
  errors: [...signingErrors, "application_exists", "application_revoked"],
  handler: (ctx, { body }) => submitApplication(ctx, body),
});

const applicationsGet = defineRoute({
  operationId: "applications.get",
  method: "get",
  path: "/v1/applications/{address}",
  summary: "Read the status of a partner application",
  tag: "Partners",
  access: "sign_in",
  cache: "no-store",
  params: z.object({ address: WalletParam.meta({ description: "Wallet address of the applicant." }) }),
  response: { schema: Application, description: "Status of the partner application" },
  errors: ["application_not_found", "store_unavailable"],
  handler: (ctx, { params }) => getApplication(ctx, params.address),
});

/** Routes with which a wallet applies to become a partner and reads the status of its application. */
export const applicationRoutes: readonly AnyRoute[] = [
  applicationsNonce,
  applicationsWallet,
  applicationsGet,
];
