import { defineRoute } from "../http/define-route.ts";
import { requirePartner } from "../partners/actor.ts";
import { getPartner } from "../partners/get-partner.ts";
import { Partner } from "../schemas/partner.ts";

export const partnersMe = defineRoute({
  operationId: "partners.me",
  method: "get",
  path: "/v1/partners/me",
  summary: "Read the partner that is signed in",
  tag: "Partners",
  access: "session",
  cache: "no-store",
  response: { schema: Partner, description: "The partner" },
  errors: ["partner_not_found"],
  handler: (ctx) => getPartner(ctx, requirePartner(ctx).partner.address),
});
