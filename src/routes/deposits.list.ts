import { z } from "@hono/zod-openapi";
import { toWireDeposit } from "../deposits/deposit-wire.ts";
import { listDeposits } from "../deposits/list.ts";
import { defineRoute } from "../http/define-route.ts";
import { paged } from "../http/paged.ts";
import { TimeCursor } from "../schemas/cursor.ts";
import { AddressInput, limitParam } from "../schemas/primitives.ts";
import { Deposit } from "../schemas/status.ts";

export const depositsList = defineRoute({
  operationId: "deposits.list",
  method: "get",
  path: "/v1/deposits",
  summary: "List a user's deposits",
  description: "Newest first. The `Link` header names the next page.",
  tag: "Deposits",
  access: "public",
  cache: "no-store",
  query: z.object({
    user_address: AddressInput,
    cursor: TimeCursor.optional(),
    limit: limitParam(100, 20),
  }),
  response: { schema: z.array(Deposit), description: "A page of deposits" },
  errors: ["store_unavailable"],
  handler: async (ctx, { query }) => {
    const { user_address: user, limit } = query;
    const page = await listDeposits(ctx, { user, limit, before: query.cursor ?? null });
    const rows = page.rows.map((row) => toWireDeposit(row, ctx.now()));
    return paged({ rows, next: page.next }, { path: "/v1/deposits", query: { user_address: user, limit } });
  },
});
