import * as z from "zod";
import { type AnyRoute, defineRoute, Reply } from "../http/define-route.ts";
import { orderListQuery, requestedOrders } from "../http/order-list-query.ts";
import { pageReply } from "../http/paginated-response.ts";
import { BUILD_DEADLINE_MS } from "../lib/durations.ts";
import { TrackingIdInput, TxHashInput } from "../schemas/primitive-schemas.ts";
import { AuthorizeInput, CancelAnswer, CancelInput } from "../schemas/signing-schema.ts";
import {
  BuiltRequestAction,
  BuiltWithdrawal,
  RequestActionInput,
  WithdrawInput,
  WithdrawQuote,
} from "../schemas/withdraw-build-schema.ts";
import { Withdrawal, WithdrawalDetail, withdrawalStates } from "../schemas/withdrawal-schema.ts";
import { authorizeWithdrawal, cancelWithdrawal } from "../withdrawals/authorize-withdrawal.ts";
import { buildWithdrawalOnce } from "../withdrawals/build-withdrawal.ts";
import { getWithdrawalQuote } from "../withdrawals/get-withdrawal-quote.ts";
import { buildRequestAction } from "../withdrawals/requests/build-request-action.ts";
import {
  exitRequestErrors,
  signedExitErrors,
  signedWithdrawalErrors,
  withdrawBuildErrors,
} from "../withdrawals/withdrawal-error-codes.ts";
import {
  abandonWithdrawal,
  getTrackedWithdrawal,
  listWithdrawals,
  reportWithdrawalTransaction,
  toTrackedWithdrawal,
} from "../withdrawals/withdrawal-records.ts";
import { assertListedBridge } from "./quotes-routes.ts";

const withdrawalsQuote = defineRoute({
  operationId: "withdrawals.quote",
  method: "post",
  path: "/v1/withdraw/quote",
  summary: "Quote a withdrawal",
  description:
    "Returns the expected result of a withdrawal in every requested mode of the vault (`auto`: in all), from simulations at the latest block. The quote is not stored. A pause of deposits by this service does not stop withdrawals.",
  tag: "Withdrawals",
  access: "public",
  limit: "quote",
  cache: "no-store",
  deadlineMs: BUILD_DEADLINE_MS,
  body: WithdrawInput,
  response: {
    schema: WithdrawQuote,
    description: "The vault's withdrawal modes with their expected results",
  },
  errors: withdrawBuildErrors,
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
    "Returns the transaction that redeems shares, or that requests their redemption, simulated from the user's address, and starts to track the withdrawal. It goes through the Router where the vault allows it, so that a minimum is enforced on chain. A withdrawal without a transaction on a chain is deleted 30 days after its quote has expired, or later.",
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
  errors: [...withdrawBuildErrors, "idempotency_conflict", "quote_expired"],
  handler: async (ctx, { headers, body }) => {
    await assertListedBridge(ctx, body);
    const key = headers["idempotency-key"] ?? null;
    const { built, replayed } = await buildWithdrawalOnce(ctx, { input: body, key });
    return replayed ? new Reply(built, { headers: { "idempotent-replayed": "true" } }) : built;
  },
});

const withdrawalsClaim = defineRoute({
  operationId: "withdrawals.claim",
  method: "post",
  path: "/v1/withdraw/claim",
  summary: "Claim a redemption request",
  description:
    "Returns the transaction that claims a settled redemption request, simulated from the user's address. If no such request is claimable, but shares of deposit requests are, it claims those shares. The request may have been made outside this API.",
  tag: "Withdrawals",
  access: "public",
  limit: "build",
  userLimit: "user_build",
  cache: "no-store",
  deadlineMs: BUILD_DEADLINE_MS,
  body: RequestActionInput,
  response: { schema: BuiltRequestAction, description: "The transaction to sign" },
  errors: exitRequestErrors,
  handler: (ctx, { body }) => buildRequestAction(ctx, { input: body, action: "claim" }),
});

const withdrawalsCancel = defineRoute({
  operationId: "withdrawals.cancel",
  method: "post",
  path: "/v1/withdraw/cancel",
  summary: "Cancel a redemption request",
  description:
    "Returns the transaction that cancels a redemption request, simulated from the user's address, if the vault supports cancellation.",
  tag: "Withdrawals",
  access: "public",
  limit: "build",
  userLimit: "user_build",
  cache: "no-store",
  deadlineMs: BUILD_DEADLINE_MS,
  body: RequestActionInput,
  response: { schema: BuiltRequestAction, description: "The transaction to sign" },
  errors: exitRequestErrors,
  handler: (ctx, { body }) => buildRequestAction(ctx, { input: body, action: "cancel" }),
});

const withdrawalsList = defineRoute({
  operationId: "withdrawals.list",
  method: "get",
  path: "/v1/withdrawals",
  summary: "List a user's withdrawals",
  description:
    "Returns the newest withdrawals first. Without `state`, the list contains only withdrawals with a transaction on a chain, because anyone can build a withdrawal for any address. The `Link` header contains the URL of the next page.",
  tag: "Withdrawals",
  access: "public",
  cache: "no-store",
  query: orderListQuery(withdrawalStates, {
    noun: "withdrawals",
    preposition: "from",
    example: "requested,claimable",
  }),
  response: { schema: z.array(Withdrawal), description: "One page of withdrawals" },
  errors: ["store_unavailable"],
  handler: async (ctx, { query }) => {
    const { page, repeated } = requestedOrders(query, ctx.now());
    const { rows, next } = await listWithdrawals(ctx, page);
    const shown = rows.map((row) => toTrackedWithdrawal(row, ctx.now()));
    return pageReply({ rows: shown, next }, { path: "/v1/withdrawals", query: repeated });
  },
});

const withdrawalsGet = defineRoute({
  operationId: "withdrawals.get",
  method: "get",
  path: "/v1/withdrawals/{tracking_id}",
  summary: "Read a withdrawal",
  description:
    "Returns the current state of the withdrawal, read from the chains, with the user's steps. A claim, and the second step for exactly what the vault paid, are built and simulated for each reading.",
  tag: "Withdrawals",
  access: "public",
  cache: "no-store",
  params: z.object({ tracking_id: TrackingIdInput }),
  response: { schema: WithdrawalDetail, description: "The withdrawal with the user's steps" },
  errors: ["withdrawal_not_found", "store_unavailable"],
  handler: (ctx, { params }) => getTrackedWithdrawal(ctx, params.tracking_id),
});

/** Steps that a report may name: the purpose of the transaction, or its `step_id` in `steps`. */
const reportedSteps = [
  "redeem",
  "request",
  "cooldown",
  "claim",
  "transfer",
  "cancel",
  "source.redeem",
  "source.request",
  "source.cooldown",
  "source.cancel",
  "source.approve",
  "source.approve_reset",
  "destination.transfer",
  "destination.approve",
  "destination.approve_reset",
] as const;

const withdrawalsReportTransaction = defineRoute({
  operationId: "withdrawals.report-transaction",
  method: "patch",
  path: "/v1/withdrawals/{tracking_id}/tx",
  summary: "Report a transaction of a withdrawal",
  description:
    "Reports the hash of a transaction that the user has sent for a withdrawal, so that it is found sooner. Anyone can report a transaction: a report changes nothing until the transaction's receipt shows that it belongs to this withdrawal, and it never blocks another report.",
  tag: "Withdrawals",
  access: "public",
  cache: "no-store",
  params: z.object({ tracking_id: TrackingIdInput }),
  body: z
    .object({
      tx_hash: TxHashInput.meta({
        description:
          "Hash of the transaction. Several hashes may be reported for one step; the chain decides.",
      }),
      step: z
        .enum(reportedSteps)
        .default("redeem")
        .meta({
          description:
            "Step of the withdrawal that the transaction performs: its `step_id` in `steps`, or `redeem`, `request` and " +
            "`cooldown` for the user's first transaction, `claim` for the claim of a settled request, `transfer` for the " +
            "swap or bridge of what the vault paid, `cancel` for the cancellation of a request. Reports of approvals " +
            "change nothing: the allowance shows them.",
        }),
    })
    .meta({
      id: "ReportWithdrawalTransaction",
      description: "A transaction that the user has sent for a withdrawal.",
    }),
  response: { schema: Withdrawal, description: "The withdrawal with its current state" },
  errors: ["withdrawal_not_found", "store_unavailable"],
  handler: async (ctx, { params, body }) => {
    const approves = body.step.includes("approve");
    const report = { trackingId: params.tracking_id, txHash: approves ? null : body.tx_hash };
    return toTrackedWithdrawal(await reportWithdrawalTransaction(ctx, report), ctx.now());
  },
});

const withdrawalsAbandon = defineRoute({
  operationId: "withdrawals.abandon",
  method: "patch",
  path: "/v1/withdrawals/{tracking_id}/abandon",
  summary: "Abandon a withdrawal",
  description:
    "Marks a withdrawal that the user will not send as `abandoned`, which only hides it: it reappears as soon as a chain shows one of its transactions. A withdrawal cannot be abandoned once one of its transactions has been seen on a chain.",
  tag: "Withdrawals",
  access: "public",
  cache: "no-store",
  params: z.object({ tracking_id: TrackingIdInput }),
  response: { schema: Withdrawal, description: "The abandoned withdrawal" },
  errors: ["withdrawal_not_found", "withdrawal_state", "store_unavailable"],
  handler: async (ctx, { params }) =>
    toTrackedWithdrawal(await abandonWithdrawal(ctx, params.tracking_id), ctx.now()),
});

const withdrawalsAuthorize = defineRoute({
  operationId: "withdrawals.authorize",
  method: "post",
  path: "/v1/withdrawals/{tracking_id}/authorize",
  summary: "Complete a withdrawal with a signature",
  description:
    "Takes the user's signature of a built withdrawal's `typed_data` and returns the response to the build with its transaction, which has been simulated with the signature. The withdrawal stays `built` until the transaction is seen on a chain, whichever account sends it. The signature is not stored: after a reload the user signs again.",
  tag: "Withdrawals",
  access: "public",
  limit: "build",
  cache: "no-store",
  params: z.object({ tracking_id: TrackingIdInput }),
  body: AuthorizeInput,
  response: { schema: BuiltWithdrawal, description: "The built withdrawal with its transaction" },
  errors: [...signedWithdrawalErrors, "authorization_unsupported", ...signedExitErrors],
  handler: (ctx, { params, body }) =>
    authorizeWithdrawal(ctx, { trackingId: params.tracking_id, signature: body.signature }),
});

const withdrawalsCancelSigned = defineRoute({
  operationId: "withdrawals.cancel-signed",
  method: "post",
  path: "/v1/withdrawals/{tracking_id}/cancel",
  summary: "Cancel a signed withdrawal",
  description:
    "Returns the step that invalidates a signed order before it is submitted: for Permit2, a transaction of the user. An order that only the user can send needs no cancellation. A redemption request is taken back with `POST /v1/withdraw/cancel`.",
  tag: "Withdrawals",
  access: "public",
  limit: "build",
  cache: "no-store",
  params: z.object({ tracking_id: TrackingIdInput }),
  body: CancelInput,
  response: { schema: CancelAnswer, description: "The step that cancels the order" },
  errors: signedWithdrawalErrors,
  handler: (ctx, { params, body }) =>
    cancelWithdrawal(ctx, { trackingId: params.tracking_id, signature: body.signature ?? null }),
});

/** Routes that quote, build, authorize, claim, cancel, list, read, report on and abandon withdrawals. */
export const withdrawalRoutes: readonly AnyRoute[] = [
  withdrawalsQuote,
  withdrawalsBuild,
  withdrawalsClaim,
  withdrawalsCancel,
  withdrawalsList,
  withdrawalsGet,
  withdrawalsReportTransaction,
  withdrawalsAbandon,
  withdrawalsAuthorize,
  withdrawalsCancelSigned,
];
