import { getAddress } from "viem";
import * as z from "zod";
import { toWireDeposit } from "../deposits/deposit-records.ts";
import type { ErrorCode } from "../errors.ts";
import { type AnyRoute, defineRoute } from "../http/define-route.ts";
import { pageReply } from "../http/paginated-response.ts";
import { DAY_MS } from "../lib/durations.ts";
import { requirePartner } from "../partners/partner-actor.ts";
import { changeKey, createKey, listKeys, revokeKey, rotateKeys } from "../partners/partner-api-keys.ts";
import { getDashboard, listTransactions } from "../partners/partner-dashboard.ts";
import { enrolVaults, getPartner, updateSettings } from "../partners/partner-profile.ts";
import { login, logout, register } from "../partners/partner-sign-in.ts";
import { issueNonce, signingErrors } from "../partners/siwe-message.ts";
import { TimeCursor } from "../schemas/cursor-schema.ts";
import {
  ApiKey,
  ApiKeyChange,
  ApiKeyId,
  ApiKeyInput,
  CreatedApiKey,
} from "../schemas/partner-api-key-schema.ts";
import { Dashboard } from "../schemas/partner-dashboard-schema.ts";
import {
  Login,
  LoginInput,
  Partner,
  PartnerNonceInput,
  PartnerTransaction,
  PartnerVaultsInput,
  RegisterInput,
  Registration,
  RotatedKeys,
  SettingsInput,
} from "../schemas/partner-schema.ts";
import { integerParam, limitParam } from "../schemas/primitive-schemas.ts";
import { Nonce } from "../schemas/signing-schema.ts";
import { toTrackedWithdrawal } from "../withdrawals/withdrawal-records.ts";

const partnersNonce = defineRoute({
  operationId: "partners.nonce",
  method: "post",
  path: "/v1/partners/nonce",
  summary: "Issue a message to sign",
  description:
    "Issues a Sign-In with Ethereum message (EIP-4361) for one wallet and one purpose. Its nonce can be used once, within ten minutes.",
  tag: "Partners",
  access: "sign_in",
  limit: "nonce",
  cache: "no-store",
  body: PartnerNonceInput,
  response: { schema: Nonce, description: "The nonce, and the message that the wallet must sign unchanged" },
  errors: ["store_unavailable"],
  handler: (ctx, { body }) =>
    issueNonce(ctx, { address: body.address, purpose: body.purpose ?? null, chainId: body.chain_id }),
});

/** Error codes of an invalid wallet signature, and of an address whose partner application is not approved. */
const admissionErrors: readonly ErrorCode[] = [
  ...signingErrors,
  "application_required",
  "application_pending",
  "application_rejected",
  "application_revoked",
];

const partnersRegister = defineRoute({
  operationId: "partners.register",
  method: "post",
  path: "/v1/partners/register",
  summary: "Register as a partner",
  description: "Registers an approved applicant. The API key and secret are shown only in this response.",
  tag: "Partners",
  access: "sign_in",
  limit: "register",
  cache: "no-store",
  body: RegisterInput,
  response: { schema: Registration, description: "The partner with its API key and secret, and a session" },
  errors: [...admissionErrors, "partner_exists"],
  handler: (ctx, { body }) => register(ctx, body),
});

const partnersLogin = defineRoute({
  operationId: "partners.login",
  method: "post",
  path: "/v1/partners/login",
  summary: "Sign in",
  tag: "Partners",
  access: "sign_in",
  limit: "login",
  cache: "no-store",
  body: LoginInput,
  response: { schema: Login, description: "A session that is valid for 24 hours" },
  errors: [...admissionErrors, "partner_not_found"],
  handler: (ctx, { body }) => login(ctx, body),
});

const partnersMe = defineRoute({
  operationId: "partners.me",
  method: "get",
  path: "/v1/partners/me",
  summary: "Read the authenticated partner",
  tag: "Partners",
  access: "read",
  cache: "no-store",
  response: { schema: Partner, description: "The partner" },
  errors: ["partner_not_found"],
  handler: (ctx) => getPartner(ctx, requirePartner(ctx).partner.address),
});

const partnersSettings = defineRoute({
  operationId: "partners.settings",
  method: "put",
  path: "/v1/partners/settings",
  summary: "Change the partner's profile",
  description: "Fields that the body omits stay unchanged.",
  tag: "Partners",
  access: "manage",
  cache: "no-store",
  body: SettingsInput,
  response: { schema: Partner, description: "The partner" },
  errors: ["partner_not_found"],
  handler: (ctx, { body }) => updateSettings(ctx, body),
});

const partnersVaults = defineRoute({
  operationId: "partners.vaults",
  method: "put",
  path: "/v1/partners/vaults",
  summary: "Choose enrolled vaults",
  description:
    "Sets the vaults that quotes and builds with the partner's API key may deposit into and withdraw from; every other vault is rejected. `null` allows all vaults, an empty list none.",
  tag: "Partners",
  access: "manage",
  cache: "no-store",
  body: PartnerVaultsInput,
  response: { schema: Partner, description: "The partner" },
  errors: ["vault_not_found", "partner_not_found"],
  handler: (ctx, { body }) => enrolVaults(ctx, body.vault_ids),
});

const partnersDashboard = defineRoute({
  operationId: "partners.dashboard",
  method: "get",
  path: "/v1/partners/dashboard",
  summary: "Read the figures of the partner's deposits and withdrawals",
  tag: "Partners",
  access: "read",
  cache: "no-store",
  query: z.object({
    days: integerParam({ minimum: 1, maximum: 3650 }).optional().meta({
      description: "Number of past days whose deposits and withdrawals are counted. Default: all of them.",
      example: 30,
    }),
  }),
  response: {
    schema: Dashboard,
    description: "Number of deposits, withdrawals and users, and volumes by token",
  },
  errors: [],
  handler: (ctx, { query }) =>
    getDashboard(ctx, { since: query.days === undefined ? null : new Date(ctx.now() - query.days * DAY_MS) }),
});

const partnersTransactions = defineRoute({
  operationId: "partners.transactions",
  method: "get",
  path: "/v1/partners/transactions",
  summary: "List the transactions built with the partner's API key",
  description:
    "Returns the newest deposits and withdrawals first; `direction` tells them apart. The `Link` header contains the URL of the next page.",
  tag: "Partners",
  access: "read",
  cache: "no-store",
  query: z.object({
    direction: z.enum(["deposit", "withdrawal"]).optional().meta({
      description: "Return only deposits or only withdrawals. Default: both.",
    }),
    cursor: TimeCursor.optional(),
    limit: limitParam(100, 20),
  }),
  response: { schema: z.array(PartnerTransaction), description: "One page of deposits and withdrawals" },
  errors: [],
  handler: async (ctx, { query: { direction, limit, cursor } }) => {
    const page = await listTransactions(ctx, { limit, before: cursor ?? null, direction: direction ?? null });
    const rows = page.rows.map((row) => {
      const verified = row.partnerVerified;
      if (row.direction === "withdrawal")
        return { ...toTrackedWithdrawal(row, ctx.now()), direction: row.direction, verified };
      return {
        ...{ ...toWireDeposit(row, ctx.now()), direction: row.direction, verified },
        ...{ referrer: getAddress(row.referrer), referrer_handle: row.referrerHandle },
      };
    });
    const asked = { path: "/v1/partners/transactions", query: { direction, limit } };
    return pageReply({ rows, next: page.next }, asked);
  },
});

const partnersRotateKeys = defineRoute({
  operationId: "partners.rotate-keys",
  method: "post",
  path: "/v1/partners/api-keys/rotate",
  summary: "Rotate the API key and secret",
  description:
    "Replaces the pair that the request was made with or, if it was made by session, the first one that `GET /v1/partners/api-keys` lists. The old pair and all other sessions become invalid immediately. The new pair is shown only in this response.",
  tag: "Partners",
  access: "manage",
  cache: "no-store",
  response: { schema: RotatedKeys, description: "The new API key and secret" },
  errors: ["credentials_invalid", "session_expired", "store_unavailable"],
  handler: (ctx) => rotateKeys(ctx),
});

const keys = { tag: "Partners", cache: "no-store" } as const;

const partnersApiKeysList = defineRoute({
  ...keys,
  operationId: "partners.api-keys.list",
  method: "get",
  path: "/v1/partners/api-keys",
  summary: "List the partner's key pairs",
  access: "read",
  response: { schema: z.array(ApiKey), description: "The key pairs, without their secrets" },
  errors: [],
  handler: (ctx) => listKeys(ctx),
});

const partnersApiKeysCreate = defineRoute({
  ...keys,
  operationId: "partners.api-keys.create",
  method: "post",
  path: "/v1/partners/api-keys",
  summary: "Create a key pair",
  description:
    "A partner has up to five key pairs, each with its own rights. The secret is shown only in this response.",
  access: "manage",
  body: ApiKeyInput,
  response: { schema: CreatedApiKey, description: "The key pair with its secret", status: 201 },
  errors: ["limit_reached"],
  handler: (ctx, { body }) => createKey(ctx, body),
});

const partnersApiKeysChange = defineRoute({
  ...keys,
  operationId: "partners.api-keys.change",
  method: "patch",
  path: "/v1/partners/api-keys/{key_id}",
  summary: "Change a key pair's name, rights or allow list",
  access: "manage",
  params: z.object({ key_id: ApiKeyId }),
  body: ApiKeyChange,
  response: { schema: ApiKey, description: "The key pair" },
  errors: ["key_not_found"],
  handler: (ctx, { params, body }) => changeKey(ctx, { keyId: params.key_id, change: body }),
});

const partnersApiKeysRevoke = defineRoute({
  ...keys,
  operationId: "partners.api-keys.revoke",
  method: "delete",
  path: "/v1/partners/api-keys/{key_id}",
  summary: "Revoke a key pair",
  description: "The key and its secret stop working immediately.",
  access: "manage",
  params: z.object({ key_id: ApiKeyId }),
  response: {
    schema: z.object({
      revoked: z.literal(true).meta({ description: "Always `true`: the key pair was revoked." }),
    }),
    description: "The key pair was revoked",
  },
  errors: ["key_not_found"],
  handler: async (ctx, { params }) => {
    await revokeKey(ctx, params.key_id);
    return { revoked: true as const };
  },
});

const partnersLogout = defineRoute({
  operationId: "partners.logout",
  method: "post",
  path: "/v1/partners/logout",
  summary: "Sign out",
  tag: "Partners",
  access: "session",
  cache: "no-store",
  response: {
    schema: z.object({
      ended: z.literal(true).meta({ description: "Always `true`: the session was closed." }),
    }),
    description: "The session was closed",
  },
  errors: [],
  handler: async (ctx) => {
    await logout(ctx);
    return { ended: true as const };
  },
});

/**
 * API routes for partners: sign-in nonces, registration, login and logout; profile, settings and enrolled vaults; API
 * keys; statistics and transactions.
 */
export const partnerRoutes: readonly AnyRoute[] = [
  partnersNonce,
  partnersRegister,
  partnersLogin,
  partnersMe,
  partnersSettings,
  partnersVaults,
  partnersDashboard,
  partnersTransactions,
  partnersRotateKeys,
  partnersApiKeysList,
  partnersApiKeysCreate,
  partnersApiKeysChange,
  partnersApiKeysRevoke,
  partnersLogout,
];
