import * as z from "zod";
import {
  abandonDeposit,
  getTrackedDeposit,
  listDeposits,
  reportTransaction,
  toWireDeposit,
} from "../deposits/deposit-records.ts";
import { type AnyRoute, defineRoute } from "../http/define-route.ts";
import { pageReply } from "../http/page-reply.ts";
import { TimeCursor } from "../schemas/cursor-schema.ts";
import { Deposit } from "../schemas/deposit-schema.ts";
import { limitParam, TrackingIdInput, TxHashInput, WalletParam } from "../schemas/primitive-schemas.ts";

const depositsList = defineRoute({
  operationId: "deposits.list",
  method: "get",
  path: "/v1/deposits",
  summary: "List a user's deposits",
  description: "Newest first. The `Link` header has the URL of the next page.",
  tag: "Deposits",
  access: "public",
  cache: "no-store",
  query: z.object({
    user_address: WalletParam,
    cursor: TimeCursor.optional(),
    limit: limitParam(100, 20),
  }),
  response: { schema: z.array(Deposit), description: "A page of deposits" },
  errors: ["store_unavailable"],
  handler: async (ctx, { query }) => {
    const { user_address: user, limit } = query;
    const page = await listDeposits(ctx, { user, limit, before: query.cursor ?? null });
    const rows = page.rows.map((row) => toWireDeposit(row, ctx.now()));
    return pageReply(
      { rows, next: page.next },
      { path: "/v1/deposits", query: { user_address: user, limit } },
    );
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
  response: { schema: Deposit, description: "The deposit and the next transaction to sign" },
  errors: ["deposit_not_found", "store_unavailable"],
  handler: (ctx, { params }) => getTrackedDeposit(ctx, params.tracking_id),
});

const depositsReportTransaction = defineRoute({
  operationId: "deposits.report-transaction",
  method: "patch",
  path: "/v1/deposits/{tracking_id}/tx",
  summary: "Report a transaction",
  description:
    "Reports the hash of a transaction that the user sent. It can be replaced until the chain shows that it belongs to this deposit. The step `deposit` exists only for deposits in two transactions and for those whose call of the vault failed; for others the answer is 409 `deposit_state`.",
  tag: "Deposits",
  access: "public",
  cache: "no-store",
  params: z.object({ tracking_id: TrackingIdInput }),
  body: z
    .object({
      tx_hash: TxHashInput.meta({
        description:
          "Hash of the transaction; replaceable until the chain shows that it carries this deposit.",
      }),
      step: z
        .enum(["source", "deposit", "claim"])
        .default("source")
        .meta({
          description:
            "Step of the deposit that the transaction is. `source`: the user's first transaction; `deposit`: the second " +
            "step; `claim`: the claim of an asynchronous vault's shares.",
        }),
    })
    .meta({ id: "ReportTransaction", description: "A transaction that the user sent for a deposit." }),
  response: { schema: Deposit, description: "The deposit" },
  errors: ["deposit_not_found", "deposit_state", "store_unavailable"],
  handler: async (ctx, { params, body }) => {
    const report = { trackingId: params.tracking_id, txHash: body.tx_hash, step: body.step };
    return toWireDeposit(await reportTransaction(ctx, report), ctx.now());
  },
});

const depositsAbandon = defineRoute({
  operationId: "deposits.abandon",
  method: "patch",
  path: "/v1/deposits/{tracking_id}/abandon",
  summary: "Abandon a deposit",
  description: "Hides a deposit that was never sent. It reappears when the chain shows its transaction.",
  tag: "Deposits",
  access: "public",
  cache: "no-store",
  params: z.object({ tracking_id: TrackingIdInput }),
  response: { schema: Deposit, description: "The deposit" },
  errors: ["deposit_not_found", "deposit_state", "store_unavailable"],
  handler: async (ctx, { params }) => toWireDeposit(await abandonDeposit(ctx, params.tracking_id), ctx.now()),
});

/** Routes of tracked deposits, by tracking id and by user. */
export const depositRoutes: readonly AnyRoute[] = [
  depositsList,
  depositsGet,
  depositsReportTransaction,
  depositsAbandon,
];
