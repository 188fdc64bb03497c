import { defineRoute } from "../http/define-route.ts";
import { decisionRoute } from "./application-decision.ts";

export const adminApplicationsReopen = defineRoute({
  operationId: "admin.applications.reopen",
  path: "/v1/admin/applications/{application_id}/reopen",
  summary: "Reopen a rejected or revoked application",
  ...decisionRoute("reopen"),
});
