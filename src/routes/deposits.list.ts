import { z } from "@hono/zod-openapi";
import { toWireDeposit } from "../deposits/deposit-wire.ts";
import { listDeposits } from "../deposits/list.ts";
import { defineRoute, Reply } from "../http/define-route.ts";
import { decodeCursor } from "../lib/cursor.ts";
import { AddressInput, limitParam, TrackingIdInput } from "../schemas/primitives.ts";
import { Deposit } from "../schemas/status.ts";

const Cursor = z.string().transform((text, context) => {
  const [time = "", trackingId = ""] = decodeCursor(text, 2) ?? [];
  const createdAt = new Date(time);
  if (!Number.isNaN(createdAt.getTime()) && TrackingIdInput.safeParse(trackingId).success) {
    return { createdAt, trackingId };
  }
  context.addIssue({ code: "custom", message: "not a cursor of this listing" });
  return z.NEVER;
});

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
    cursor: Cursor.optional().openapi({ type: "string" }),
    limit: limitParam(100, 20),
  }),
  response: { schema: z.array(Deposit), description: "A page of deposits" },
  errors: ["store_unavailable"],
  handler: async (ctx, { query }) => {
    const { user_address: user, limit } = query;
    const { rows, next } = await listDeposits(ctx, { user, limit, before: query.cursor ?? null });
    const deposits = rows.map((row) => toWireDeposit(row, ctx.now()));
    if (next === null) return deposits;
    const page = new URLSearchParams({ user_address: user, limit: String(limit), cursor: next });
    return new Reply(deposits, { link: `</v1/deposits?${page}>; rel="next"` });
  },
});
