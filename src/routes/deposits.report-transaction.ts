import { z } from "@hono/zod-openapi";
import { toWireDeposit } from "../deposits/deposit-wire.ts";
import { reportTransaction } from "../deposits/report-transaction.ts";
import { defineRoute } from "../http/define-route.ts";
import { TrackingIdInput, TxHashInput } from "../schemas/primitives.ts";
import { Deposit } from "../schemas/status.ts";

export const depositsReportTransaction = defineRoute({
  operationId: "deposits.report-transaction",
  method: "patch",
  path: "/v1/deposits/{tracking_id}/tx",
  summary: "Report a transaction",
  description:
    "A reported hash is a claim: replaceable until the chain shows that it carries this deposit. Only a deposit in two transactions, or one whose call at the vault failed, has a step `deposit`; for another it is 409 `deposit_state`.",
  tag: "Deposits",
  access: "public",
  cache: "no-store",
  params: z.object({ tracking_id: TrackingIdInput }),
  body: z
    .object({ tx_hash: TxHashInput, step: z.enum(["source", "deposit", "claim"]).default("source") })
    .openapi("ReportTransaction"),
  response: { schema: Deposit, description: "The deposit" },
  errors: ["deposit_not_found", "deposit_state", "store_unavailable"],
  handler: async (ctx, { params, body }) => {
    const report = { trackingId: params.tracking_id, txHash: body.tx_hash, step: body.step };
    return toWireDeposit(await reportTransaction(ctx, report), ctx.now());
  },
});
