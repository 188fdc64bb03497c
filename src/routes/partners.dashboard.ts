import { z } from "@hono/zod-openapi";
import { defineRoute } from "../http/define-route.ts";
import { DAY_MS } from "../lib/durations.ts";
import { getDashboard } from "../partners/get-dashboard.ts";
import { Dashboard } from "../schemas/partner.ts";
import { integerParam } from "../schemas/primitives.ts";

export const partnersDashboard = defineRoute({
  operationId: "partners.dashboard",
  method: "get",
  path: "/v1/partners/dashboard",
  summary: "Read what the partner's keys brought about",
  tag: "Partners",
  access: "session",
  cache: "no-store",
  query: z.object({
    days: integerParam({ minimum: 1, maximum: 3650 })
      .optional()
      .openapi({ description: "Only the deposits of so many days; default all" }),
  }),
  response: { schema: Dashboard, description: "Counts, users and volumes token by token" },
  errors: [],
  handler: (ctx, { query }) =>
    getDashboard(ctx, { since: query.days === undefined ? null : new Date(ctx.now() - query.days * DAY_MS) }),
});
