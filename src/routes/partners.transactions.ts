import { z } from "@hono/zod-openapi";
import { defineRoute } from "../http/define-route.ts";
import { paged } from "../http/paged.ts";
import { listTransactions } from "../partners/list-transactions.ts";
import { TimeCursor } from "../schemas/cursor.ts";
import { PartnerTransaction } from "../schemas/partner.ts";
import { limitParam } from "../schemas/primitives.ts";

export const partnersTransactions = defineRoute({
  operationId: "partners.transactions",
  method: "get",
  path: "/v1/partners/transactions",
  summary: "List the deposits that the partner's keys built",
  description: "Newest first. The `Link` header names the next page.",
  tag: "Partners",
  access: "session",
  cache: "no-store",
  query: z.object({ cursor: TimeCursor.optional(), limit: limitParam(100, 20) }),
  response: { schema: z.array(PartnerTransaction), description: "A page of deposits" },
  errors: [],
  handler: async (ctx, { query: { limit, cursor } }) => {
    const page = await listTransactions(ctx, { limit, before: cursor ?? null });
    return paged(page, { path: "/v1/partners/transactions", query: { limit } });
  },
});
