import { defineRoute } from "../http/define-route.ts";
import { decisionRoute } from "./application-decision.ts";

export const adminApplicationsReject = defineRoute({
  operationId: "admin.applications.reject",
  path: "/v1/admin/applications/{application_id}/reject",
  summary: "Reject a pending application",
  ...decisionRoute("reject"),
});
