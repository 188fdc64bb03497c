import * as z from "zod";
import { type AnyRoute, defineRoute } from "../http/define-route.ts";
import { pageReply } from "../http/paginated-response.ts";
import { listAuditEntries } from "../listings/list-audit-log.ts";
import { AuditEntry } from "../schemas/admin/admin-schema.ts";
import { TimeCursor } from "../schemas/cursor-schema.ts";
import { limitParam } from "../schemas/primitive-schemas.ts";

const adminAudit = defineRoute({
  operationId: "admin.audit",
  method: "get",
  path: "/v1/admin/audit",
  summary: "List audit log entries",
  description: "Returns the newest entries first. The `Link` header contains the URL of the next page.",
  tag: "Administration",
  access: "admin",
  cache: "no-store",
  query: z.object({
    subject: z.string().max(120).optional().meta({
      description:
        "Return only changes to this partner application, vault, key pair or partner: an id, or the partner's address, in any letter case.",
      example: "app_0123456789abcdef0123456789abcdef",
    }),
    cursor: TimeCursor.optional(),
    limit: limitParam(200, 50),
  }),
  response: { schema: z.array(AuditEntry), description: "One page of audit log entries" },
  errors: ["store_unavailable"],
  handler: async (ctx, { query: { subject, limit, cursor } }) => {
    const page = await listAuditEntries(ctx, { subject: subject ?? null, limit, before: cursor ?? null });
    return pageReply(page, { path: "/v1/admin/audit", query: { subject, limit } });
  },
});

/** Administrators' route that returns the audit log. */
export const adminAuditRoutes: readonly AnyRoute[] = [adminAudit];
