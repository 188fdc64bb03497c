import { defineRoute } from "../http/define-route.ts";
import { decisionRoute } from "./application-decision.ts";

export const adminApplicationsRevoke = defineRoute({
  operationId: "admin.applications.revoke",
  path: "/v1/admin/applications/{application_id}/revoke",
  summary: "Revoke an approved application",
  description: "The partner's keys and sessions are dead when this returns, and stay so.",
  ...decisionRoute("revoke"),
});
