import { z } from "@hono/zod-openapi";
import { defineRoute } from "../http/define-route.ts";
import { decideApplication } from "../partners/decide-application.ts";
import { DecisionInput } from "../schemas/admin.ts";
import { ApplicationId, ApplicationRecord } from "../schemas/application.ts";

export const adminApplicationsApprove = defineRoute({
  operationId: "admin.applications.approve",
  method: "post",
  path: "/v1/admin/applications/{application_id}/approve",
  summary: "Approve a pending application",
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
      decision: "approve",
      note: body.note,
    }),
});
