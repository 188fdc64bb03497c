import * as z from "zod";
import { TimeText } from "../primitive-schemas.ts";

/** An administrator's remark for the audit log, at most 1,000 characters; empty by default. */
export const AdminNote = z.string().trim().max(1000).default("").meta({
  description: "Administrator's remark, kept in the audit log.",
  example: "Reviewed the company's website and contacts",
});

/** Request body of an administrator's decision about a partner application. */
export const DecisionInput = z
  .strictObject({ note: AdminNote })
  .meta({ id: "DecisionInput", description: "An administrator's decision about a partner application." });

/** One entry of the audit log: a change that an administrator, a partner or the service's check of a vault made. */
export const AuditEntry = z
  .object({
    id: z.string().meta({
      description: "Id of the audit entry.",
      example: "aud_0123456789abcdef0123456789abcdef",
    }),
    at: TimeText.meta({ description: "Time of the change." }),
    actor: z.string().meta({
      description:
        "Who made the change: `admin`, the partner's lowercase address, `proof` if the service's check of a vault did, or `registry:check` for an operator's script.",
      example: "admin",
    }),
    action: z.string().meta({ description: "Kind of change.", example: "application.approve" }),
    subject: z.string().meta({
      description:
        "Id of the partner application, vault or key pair, or address of the partner, that was changed.",
      example: "app_0123456789abcdef0123456789abcdef",
    }),
    note: z.string().meta({
      description: "Remark or reason given with the change, or empty if there is none.",
      example: "Reviewed the company's website and contacts",
    }),
    before: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({
        description: "Values before the change, or `null` if none were recorded.",
        example: { status: "pending" },
      }),
    after: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({
        description: "Values after the change, or `null` if none were recorded.",
        example: { status: "approved" },
      }),
    request_id: z.string().meta({
      description: "Id of the request or job run that made the change.",
      example: "5f0c8d0e-3b1a-4a57-9c39-0f6f3a1f7c11",
    }),
  })
  .meta({
    id: "AuditEntry",
    description:
      "One entry of the audit log: a change by an administrator, a partner or the service's check of a vault.",
  });
export type AuditEntry = z.infer<typeof AuditEntry>;
