import { defineRoute } from "../http/define-route.ts";
import { decisionRoute } from "./application-decision.ts";

export const adminApplicationsApprove = defineRoute({
  operationId: "admin.applications.approve",
  path: "/v1/admin/applications/{application_id}/approve",
  summary: "Approve a pending application",
  ...decisionRoute("approve"),
});
