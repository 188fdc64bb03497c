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
import { Deposit, DepositDetail } from "../schemas/deposit-schema.ts";
import { limitParam, TrackingIdInput, TxHashInput, WalletParam } from "../schemas/primitive-schemas.ts";

const depositsList = defineRoute({
  operationId: "deposits.list",
  method: "get",
  path: "/v1/deposits",
  summary: "List a user's deposits",
  description: "Returns the newest deposits first. The `Link` header contains the URL of the next page.",
  tag: "Deposits",
  access: "public",
  cache: "no-store",
  query: z.object({
    user_address: WalletParam,
    cursor: TimeCursor.optional(),
    limit: limitParam(100, 20),
  }),
  response: { schema: z.array(Deposit), description: "One page of deposits" },
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
  response: { schema: DepositDetail, description: "The deposit and all that its user does" },
  errors: ["deposit_not_found", "store_unavailable"],
  handler: (ctx, { params }) => getTrackedDeposit(ctx, params.tracking_id),
});

const depositsReportTransaction = defineRoute({
  operationId: "deposits.report-transaction",
  method: "patch",
  path: "/v1/deposits/{tracking_id}/tx",
  summary: "Report a transaction",
  description:
    "Reports the hash of a transaction that the user has sent for a deposit. The hash can be replaced until on-chain data confirms the transaction of this step. The step `deposit` exists only for two-step deposits and for deposits whose call to the vault failed; for any other deposit the response is 409 `deposit_state`.",
  tag: "Deposits",
  access: "public",
  cache: "no-store",
  params: z.object({ tracking_id: TrackingIdInput }),
  body: z
    .object({
      tx_hash: TxHashInput.meta({
        description:
          "Hash of the transaction. It can be replaced until on-chain data confirms the transaction of this step.",
      }),
      step: z
        .enum(["source", "deposit", "claim"])
        .default("source")
        .meta({
          description:
            "Step of the deposit that the transaction performs. `source`: the user's first transaction; `deposit`: the " +
            "deposit on the vault's chain, as a second step; `claim`: the claim of shares from an asynchronous vault.",
        }),
    })
    .meta({ id: "ReportTransaction", description: "A transaction that the user has sent for a deposit." }),
  response: { schema: Deposit, description: "The deposit with the reported transaction" },
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
  description:
    "Marks a deposit that the user will not send as `abandoned`. It is reopened if its transaction appears on-chain.",
  tag: "Deposits",
  access: "public",
  cache: "no-store",
  params: z.object({ tracking_id: TrackingIdInput }),
  response: { schema: Deposit, description: "The abandoned deposit" },
  errors: ["deposit_not_found", "deposit_state", "store_unavailable"],
  handler: async (ctx, { params }) => toWireDeposit(await abandonDeposit(ctx, params.tracking_id), ctx.now()),
});

/** Routes that list, read, report on and abandon tracked deposits. */
export const depositRoutes: readonly AnyRoute[] = [
  depositsList,
  depositsGet,
  depositsReportTransaction,
  depositsAbandon,
];
