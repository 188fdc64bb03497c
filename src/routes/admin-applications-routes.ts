import * as z from "zod";
import type { Context } from "../context.ts";
import type { ErrorCode } from "../errors.ts";
import { type AnyRoute, defineRoute } from "../http/define-route.ts";
import { pageReply } from "../http/paginated-response.ts";
import { type Decision, decisionErrorCodes } from "../partners/partner-application-state.ts";
import { decideApplication, listApplications } from "../partners/partner-applications.ts";
import { DecisionInput } from "../schemas/admin/admin-schema.ts";
import { TimeCursor } from "../schemas/cursor-schema.ts";
import {
  ApplicationId,
  ApplicationRecord,
  ApplicationStatus,
} from "../schemas/partner-application-schema.ts";
import { limitParam } from "../schemas/primitive-schemas.ts";

/** Returns the parts that the routes for deciding a partner application have in common, for one decision. */
function decisionRoute(decision: Decision) {
  const errors: ErrorCode[] = ["application_not_found", ...decisionErrorCodes(decision), "store_unavailable"];
  return {
    method: "post" as const,
    tag: "Administration",
    access: "admin" as const,
    cache: "no-store" as const,
    params: z.object({ application_id: ApplicationId }),
    body: DecisionInput,
    response: { schema: ApplicationRecord, description: "The partner application after the decision" },
    errors,
    handler: (
      ctx: Context,
      input: { params: { application_id: string }; body: { note: string } },
    ): Promise<ApplicationRecord> =>
      decideApplication(ctx, {
        applicationId: input.params.application_id,
        decision,
        note: input.body.note,
      }),
  };
}

const adminApplicationsList = defineRoute({
  operationId: "admin.applications.list",
  method: "get",
  path: "/v1/admin/applications",
  summary: "List partner applications",
  description:
    "Returns the newest partner applications first. The `Link` header contains the URL of the next page.",
  tag: "Administration",
  access: "admin",
  cache: "no-store",
  query: z.object({
    status: ApplicationStatus.optional().meta({
      description: "Return only partner applications with this status.",
    }),
    cursor: TimeCursor.optional(),
    limit: limitParam(100, 50),
  }),
  response: { schema: z.array(ApplicationRecord), description: "One page of partner applications" },
  errors: ["store_unavailable"],
  handler: async (ctx, { query: { status, limit, cursor } }) => {
    const page = await listApplications(ctx, { status: status ?? null, limit, before: cursor ?? null });
    return pageReply(page, { path: "/v1/admin/applications", query: { status, limit } });
  },
});

const adminApplicationsApprove = defineRoute({
  operationId: "admin.applications.approve",
  path: "/v1/admin/applications/{application_id}/approve",
  summary: "Approve a pending partner application",
  ...decisionRoute("approve"),
});

const adminApplicationsReject = defineRoute({
  operationId: "admin.applications.reject",
  path: "/v1/admin/applications/{application_id}/reject",
  summary: "Reject a pending partner application",
  ...decisionRoute("reject"),
});

const adminApplicationsRevoke = defineRoute({
  operationId: "admin.applications.revoke",
  path: "/v1/admin/applications/{application_id}/revoke",
  summary: "Revoke an approved partner application",
  description: "Invalidates the partner's API keys and sessions immediately and permanently.",
  ...decisionRoute("revoke"),
});

const adminApplicationsReopen = defineRoute({
  operationId: "admin.applications.reopen",
  path: "/v1/admin/applications/{application_id}/reopen",
  summary: "Reopen a rejected or revoked partner application",
  ...decisionRoute("reopen"),
});

/** Administrators' routes: list partner applications, and approve, reject, revoke or reopen them. */
export const adminApplicationRoutes: readonly AnyRoute[] = [
  adminApplicationsList,
  adminApplicationsApprove,
  adminApplicationsReject,
  adminApplicationsRevoke,
  adminApplicationsReopen,
];
