import { z } from "@hono/zod-openapi";
import { defineRoute } from "../http/define-route.ts";
import { decideApplication } from "../partners/decide-application.ts";
import { DecisionInput } from "../schemas/admin.ts";
import { ApplicationId, ApplicationRecord } from "../schemas/application.ts";

export const adminApplicationsReject = defineRoute({
  operationId: "admin.applications.reject",
  method: "post",
  path: "/v1/admin/applications/{application_id}/reject",
  summary: "Reject a pending application",
  tag: "Administration",
  access: "admin",
  cache: "no-store",
  params: z.object({ application_id: ApplicationId }),
  body: DecisionInput,
  response: { schema: ApplicationRecord, description: "The application" },
  errors: [
    "application_not_found",
    "application_exists",
    "application_rejected",
    "application_revoked",
    "store_unavailable",
  ],
  handler: (ctx, { params, body }) =>
    decideApplication(ctx, {
      applicationId: params.application_id,
      decision: "reject",
      note: body.note,
    }),
});
