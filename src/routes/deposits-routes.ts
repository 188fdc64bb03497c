import * as z from "zod";
import { cancelDeposit } from "../deposits/authorize-deposit.ts";
import {
  abandonDeposit,
  type DepositStep,
  getTrackedDeposit,
  listDeposits,
  reportTransaction,
  toWireDeposit,
} from "../deposits/deposit-records.ts";
import type { ErrorCode } from "../errors.ts";
import { type AnyRoute, defineRoute } from "../http/define-route.ts";
import { orderListQuery, requestedOrders } from "../http/order-list-query.ts";
import { pageReply } from "../http/paginated-response.ts";
import { authorizeDepositOrMove } from "../moves/authorize-move.ts";
import { Deposit, DepositDetail, depositStates } from "../schemas/deposit-schema.ts";
import { TrackingIdInput, TxHashInput } from "../schemas/primitive-schemas.ts";
import { BuiltDeposit } from "../schemas/quote-schema.ts";
import { AuthorizeInput, CancelAnswer, CancelInput } from "../schemas/signing-schema.ts";
import { signedExitErrors } from "../withdrawals/withdrawal-error-codes.ts";

const depositsList = defineRoute({
  operationId: "deposits.list",
  method: "get",
  path: "/v1/deposits",
  summary: "List a user's deposits",
  description:
    "Returns the newest deposits first. Without `state`, the list contains only deposits with a transaction on a chain, because anyone can build a deposit for any address. The `Link` header contains the URL of the next page.",
  tag: "Deposits",
  access: "public",
  cache: "no-store",
  query: orderListQuery(depositStates, {
    noun: "deposits",
    preposition: "into",
    example: "bridging,awaiting_deposit",
  }),
  response: { schema: z.array(Deposit), description: "One page of deposits" },
  errors: ["store_unavailable"],
  handler: async (ctx, { query }) => {
    const { page, repeated } = requestedOrders(query, ctx.now());
    const { rows, next } = await listDeposits(ctx, page);
    const shown = rows.map((row) => toWireDeposit(row, ctx.now()));
    return pageReply({ rows: shown, next }, { path: "/v1/deposits", query: repeated });
  },
});

const depositsGet = defineRoute({
  operationId: "deposits.get",
  method: "get",
  path: "/v1/deposits/{tracking_id}",
  summary: "Read a deposit",
  tag: "Deposits",
  access: "public",
  cache: "no-store",
  params: z.object({ tracking_id: TrackingIdInput }),
  response: { schema: DepositDetail, description: "The deposit and all that its user does" },
  errors: ["deposit_not_found", "store_unavailable"],
  handler: (ctx, { params }) => getTrackedDeposit(ctx, params.tracking_id),
});

/** Steps of a deposit by the names for reports: the ids in `steps`, and the names of the original interface. */
const stepsByReport = {
  source: "source",
  deposit: "deposit",
  claim: "claim",
  cancel: "cancel",
  "source.approve_reset": "approval",
  "source.approve": "approval",
  "source.deposit": "source",
  "source.transfer": "source",
  "source.request": "source",
  "source.cancel": "cancel",
  "destination.approve_reset": "approval",
  "destination.approve": "approval",
  "destination.deposit": "deposit",
  "destination.request": "deposit",
} as const satisfies Record<string, DepositStep>;

/** Schema of the step that a report names. */
const ReportedStep = z.enum(
  Object.keys(stepsByReport) as [keyof typeof stepsByReport, ...(keyof typeof stepsByReport)[]],
);

const depositsReportTransaction = defineRoute({
  operationId: "deposits.report-transaction",
  method: "patch",
  path: "/v1/deposits/{tracking_id}/tx",
  summary: "Report a transaction",
  description:
    "Reports the hash of a transaction that the user has sent for a deposit, so that it is found sooner. Anyone can report a transaction: a report changes nothing until the transaction's receipt shows that it belongs to this deposit, and it never blocks another report.",
  tag: "Deposits",
  access: "public",
  cache: "no-store",
  params: z.object({ tracking_id: TrackingIdInput }),
  body: z
    .object({
      tx_hash: TxHashInput.meta({
        description:
          "Hash of the transaction. Several hashes may be reported for one step; the chain decides.",
      }),
      step: ReportedStep.default("source").meta({
        description:
          "Step of the deposit that the transaction performs: its `step_id` in `steps`, or `source` for the user's first " +
          "transaction, `deposit` for the deposit on the vault's chain as a second step, `claim` for the claim of shares " +
          "from an asynchronous vault, `cancel` for the cancellation of an order or of a request. Reports of approvals " +
          "change nothing: the allowance shows them.",
      }),
    })
    .meta({ id: "ReportTransaction", description: "A transaction that the user has sent for a deposit." }),
  response: { schema: Deposit, description: "The deposit with its current state" },
  errors: ["deposit_not_found", "store_unavailable"],
  handler: async (ctx, { params, body }) => {
    const report = { trackingId: params.tracking_id, txHash: body.tx_hash, step: stepsByReport[body.step] };
    return toWireDeposit(await reportTransaction(ctx, report), ctx.now());
  },
});

const depositsAbandon = defineRoute({
  operationId: "deposits.abandon",
  method: "patch",
  path: "/v1/deposits/{tracking_id}/abandon",
  summary: "Abandon a deposit",
  description:
    "Marks a deposit that the user will not send as `abandoned`, which only hides it: it reappears as soon as a chain shows one of its transactions. A deposit cannot be abandoned once one of its transactions has been seen on a chain.",
  tag: "Deposits",
  access: "public",
  cache: "no-store",
  params: z.object({ tracking_id: TrackingIdInput }),
  response: { schema: Deposit, description: "The abandoned deposit" },
  errors: ["deposit_not_found", "deposit_state", "store_unavailable"],
  handler: async (ctx, { params }) => toWireDeposit(await abandonDeposit(ctx, params.tracking_id), ctx.now()),
});

/** Error codes of the operations on signed orders. */
const signedErrors: readonly ErrorCode[] = [
  "deposit_not_found",
  "deposit_state",
  "quote_expired",
  "signature_invalid",
  "would_revert",
  "chain_unsupported",
  "upstream_unavailable",
  "upstream_timeout",
  "simulation_unavailable",
  "store_unavailable",
];

const depositsAuthorize = defineRoute({
  operationId: "deposits.authorize",
  method: "post",
  path: "/v1/deposits/{tracking_id}/authorize",
  summary: "Complete a deposit with a signature",
  description:
    "Takes the user's signature of a built deposit's `typed_data` and returns the response to the build with its transaction, which has been simulated with the signature. The deposit stays `built` until the transaction is seen on a chain, whichever account sends it. The signature is not stored: after a reload the user signs again.",
  tag: "Deposits",
  access: "public",
  limit: "build",
  cache: "no-store",
  params: z.object({ tracking_id: TrackingIdInput }),
  body: AuthorizeInput,
  response: { schema: BuiltDeposit, description: "The built deposit with its transaction" },
  errors: [
    ...signedErrors,
    ...signedExitErrors,
    "authorization_unsupported",
    "vault_paused",
    "above_maximum",
    "zero_shares",
  ],
  handler: (ctx, { params, body }) =>
    authorizeDepositOrMove(ctx, { trackingId: params.tracking_id, signature: body.signature }),
});

const depositsCancel = defineRoute({
  operationId: "deposits.cancel",
  method: "post",
  path: "/v1/deposits/{tracking_id}/cancel",
  summary: "Cancel a signed deposit",
  description:
    "Returns the step that invalidates a signed order before it is submitted: for Permit2, a transaction of the user; for ERC-3009, a signature, which is sent to this endpoint to get the transaction. An order that only the user can send needs no cancellation.",
  tag: "Deposits",
  access: "public",
  limit: "build",
  cache: "no-store",
  params: z.object({ tracking_id: TrackingIdInput }),
  body: CancelInput,
  response: { schema: CancelAnswer, description: "The step that cancels the order" },
  errors: signedErrors,
  handler: (ctx, { params, body }) =>
    cancelDeposit(ctx, { trackingId: params.tracking_id, signature: body.signature ?? null }),
});

/** Routes that list, read, report on, abandon, authorize and cancel tracked deposits. */
export const depositRoutes: readonly AnyRoute[] = [
  depositsList,
  depositsGet,
  depositsReportTransaction,
  depositsAbandon,
  depositsAuthorize,
  depositsCancel,
];
