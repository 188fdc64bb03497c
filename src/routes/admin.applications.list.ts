import { z } from "@hono/zod-openapi";
import { defineRoute } from "../http/define-route.ts";
import { paged } from "../http/paged.ts";
import { listApplications } from "../partners/list-applications.ts";
import { ApplicationRecord, ApplicationStatus } from "../schemas/application.ts";
import { TimeCursor } from "../schemas/cursor.ts";
import { limitParam } from "../schemas/primitives.ts";

export const adminApplicationsList = defineRoute({
  operationId: "admin.applications.list",
  method: "get",
  path: "/v1/admin/applications",
  summary: "List applications",
  description: "Newest first. The `Link` header names the next page.",
  tag: "Administration",
  access: "admin",
  cache: "no-store",
  query: z.object({
    status: ApplicationStatus.optional(),
    cursor: TimeCursor.optional(),
    limit: limitParam(100, 50),
  }),
  response: { schema: z.array(ApplicationRecord), description: "A page of applications" },
  errors: ["store_unavailable"],
  handler: async (ctx, { query: { status, limit, cursor } }) => {
    const page = await listApplications(ctx, { status: status ?? null, limit, before: cursor ?? null });
    return paged(page, { path: "/v1/admin/applications", query: { status, limit } });
  },
});
