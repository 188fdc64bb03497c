import { z } from "@hono/zod-openapi";
import { defineRoute } from "../http/define-route.ts";
import { logout } from "../partners/logout.ts";

export const partnersLogout = defineRoute({
  operationId: "partners.logout",
  method: "post",
  path: "/v1/partners/logout",
  summary: "Sign out",
  tag: "Partners",
  access: "session",
  cache: "no-store",
  response: { schema: z.object({ ended: z.literal(true) }), description: "The session is over" },
  errors: [],
  handler: async (ctx) => {
    await logout(ctx);
    return { ended: true as const };
  },
});
