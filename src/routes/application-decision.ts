import { z } from "@hono/zod-openapi";
import type { Context } from "../context.ts";
import type { ErrorCode } from "../errors.ts";
import { type Decision, refusalCodes } from "../partners/application-state.ts";
import { decideApplication } from "../partners/decide-application.ts";
import { DecisionInput } from "../schemas/admin.ts";
import { ApplicationId, ApplicationRecord } from "../schemas/application.ts";

/** What the operations that decide an application share: they differ in what is decided, not in how. */
export function decisionRoute(decision: Decision) {
  const errors: ErrorCode[] = ["application_not_found", ...refusalCodes(decision), "store_unavailable"];
  return {
    method: "post" as const,
    tag: "Administration",
    access: "admin" as const,
    cache: "no-store" as const,
    params: z.object({ application_id: ApplicationId }),
    body: DecisionInput,
    response: { schema: ApplicationRecord, description: "The application" },
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
