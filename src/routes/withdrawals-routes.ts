import * as z from "zod";
import type { ErrorCode } from "../errors.ts";
import { type AnyRoute, defineRoute, Reply } from "../http/define-route.ts";
import { BUILD_DEADLINE_MS } from "../lib/durations.ts";
import {
  BuiltRequestAction,
  BuiltWithdrawal,
  RequestActionInput,
  WithdrawInput,
  WithdrawQuote,
} from "../schemas/withdraw-build-schema.ts";
import { buildWithdrawalOnce } from "../withdrawals/build-withdrawal.ts";
import { getWithdrawalQuote } from "../withdrawals/get-withdrawal-quote.ts";
import { buildRequestAction } from "../withdrawals/request-action.ts";
import { assertListedBridge } from "./quotes-routes.ts";

/** Error codes that quoting and building a withdrawal can return. */
const withdrawErrors: readonly ErrorCode[] = [
  "chain_unsupported",
  "token_unsupported",
  "no_route",
  "price_unsafe",
  "price_stale",
  "would_revert",
  "not_allowed",
  "share_locked",
  "below_minimum",
  "no_liquidity",
  "cooldown",
  "exits_paused",
  "nothing_to_withdraw",
  "request_pending",
  "mode_unsupported",
  "partner_mismatch",
  "key_forbidden",
  "vault_not_enrolled",
  "vault_not_found",
  "upstream_unavailable",
  "upstream_rejected",
  "store_unavailable",
  "simulation_unavailable",
  "upstream_timeout",
];

const withdrawalsQuote = defineRoute({
  operationId: "withdrawals.quote",
  method: "post",
  path: "/v1/withdraw/quote",
  summary: "Quote a withdrawal",
  description:
    "Returns what a withdrawal would give now in every mode that the vault has, from simulations at the latest block. The quote is not stored. A paused vault can be left.",
  tag: "Withdrawals",
  access: "public",
  limit: "quote",
  cache: "no-store",
  deadlineMs: BUILD_DEADLINE_MS,
  body: WithdrawInput,
  response: { schema: WithdrawQuote, description: "The ways in which the vault can pay" },
  errors: withdrawErrors,
  handler: async (ctx, { body }) => {
    await assertListedBridge(ctx, body);
    return getWithdrawalQuote(ctx, body);
  },
});

const withdrawalsBuild = defineRoute({
  operationId: "withdrawals.build",
  method: "post",
  path: "/v1/withdraw/build",
  summary: "Build a withdrawal",
  description:
    "Returns the transaction that redeems shares, or that requests their redemption, simulated from the user's address, and starts to track the withdrawal. It goes through the Router where the vault allows it, so that a minimum is enforced on chain. A withdrawal that no chain has seen is deleted 30 days after its quote has expired.",
  tag: "Withdrawals",
  access: "public",
  limit: "build",
  userLimit: "user_build",
  cache: "no-store",
  deadlineMs: BUILD_DEADLINE_MS,
  headers: z.object({
    "idempotency-key": z.string().min(1).max(255).optional().meta({
      description:
        "Idempotency key, kept for a day. The same request with the same key returns the stored response while its quote is valid.",
      example: "9f1c2d3e-4b5a-6978-8a9b-0c1d2e3f4a5b",
    }),
  }),
  body: WithdrawInput,
  response: {
    schema: BuiltWithdrawal,
    description: "The transaction to sign, the approval that it needs and the tracking id of the withdrawal",
  },
  errors: [...withdrawErrors, "idempotency_conflict", "quote_expired"],
  handler: async (ctx, { headers, body }) => {
    await assertListedBridge(ctx, body);
    const key = headers["idempotency-key"] ?? null;
    const { built, replayed } = await buildWithdrawalOnce(ctx, { input: body, key });
    return replayed ? new Reply(built, { headers: { "idempotent-replayed": "true" } }) : built;
  },
});

/** Error codes that claiming and cancelling a redemption request can return. */
const requestErrors: readonly ErrorCode[] = [
  "vault_not_found",
  "mode_unsupported",
  "nothing_to_withdraw",
  "cooldown",
  "withdrawal_state",
  "exits_paused",
  "no_liquidity",
  "not_allowed",
  "would_revert",
  "upstream_unavailable",
  "upstream_rejected",
  "store_unavailable",
  "simulation_unavailable",
  "upstream_timeout",
];

const withdrawalsClaim = defineRoute({
  operationId: "withdrawals.claim",
  method: "post",
  path: "/v1/withdraw/claim",
  summary: "Claim a redemption request",
  description:
    "Returns the transaction that collects what a vault pays for a redemption request, simulated from the user's address, wherever the request was made.",
  tag: "Withdrawals",
  access: "public",
  limit: "build",
  userLimit: "user_build",
  cache: "no-store",
  deadlineMs: BUILD_DEADLINE_MS,
  body: RequestActionInput,
  response: { schema: BuiltRequestAction, description: "The transaction to sign" },
  errors: requestErrors,
  handler: (ctx, { body }) => buildRequestAction(ctx, { input: body, action: "claim" }),
});

const withdrawalsCancel = defineRoute({
  operationId: "withdrawals.cancel",
  method: "post",
  path: "/v1/withdraw/cancel",
  summary: "Cancel a redemption request",
  description:
    "Returns the transaction that takes a redemption request back, simulated from the user's address, where the vault's family has one.",
  tag: "Withdrawals",
  access: "public",
  limit: "build",
  userLimit: "user_build",
  cache: "no-store",
  deadlineMs: BUILD_DEADLINE_MS,
  body: RequestActionInput,
  response: { schema: BuiltRequestAction, description: "The transaction to sign" },
  errors: requestErrors,
  handler: (ctx, { body }) => buildRequestAction(ctx, { input: body, action: "cancel" }),
});

/** Routes that quote and build withdrawals, and claim and cancel redemption requests. */
export const withdrawalRoutes: readonly AnyRoute[] = [
  withdrawalsQuote,
  withdrawalsBuild,
  withdrawalsClaim,
  withdrawalsCancel,
];
