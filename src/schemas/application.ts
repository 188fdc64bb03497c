import { z } from "@hono/zod-openapi";
import { AddressInput, AddressText, TimeText } from "./primitives.ts";
import { SignedNonce, SigningChain } from "./signing.ts";

export const applicationStatuses = ["pending", "approved", "rejected", "revoked"] as const;
export const ApplicationStatus = z.enum(applicationStatuses);
export type ApplicationStatus = z.infer<typeof ApplicationStatus>;

const shortText = z.string().max(300);

/** What an applicant says of itself. */
export const ApplicationForm = z
  .strictObject({
    company: z.string().trim().min(1).max(120),
    email: z.email().max(254),
    role: shortText.optional(),
    mau: z
      .union([z.int().min(0), shortText])
      .optional()
      .openapi({ description: "Monthly active users" }),
    chains: z.union([shortText, z.array(z.union([z.int(), shortText])).max(50)]).optional(),
    telegram: shortText.optional(),
    website: shortText.optional(),
  })
  .openapi("ApplicationForm");
export type ApplicationForm = z.infer<typeof ApplicationForm>;

export const ApplicationNonceInput = z
  .strictObject({ address: AddressInput, chain_id: SigningChain })
  .openapi("ApplicationNonceInput");

export const ApplicationInput = SignedNonce.extend({ form: ApplicationForm }).openapi("ApplicationInput");
export type ApplicationInput = z.infer<typeof ApplicationInput>;

export const ApplicationReceipt = z
  .object({ application_id: z.string(), status: ApplicationStatus })
  .openapi("ApplicationReceipt");
export type ApplicationReceipt = z.infer<typeof ApplicationReceipt>;

/** What anybody may know of an application. */
export const Application = z
  .object({
    address: AddressText,
    status: ApplicationStatus,
    created_at: TimeText,
    decided_at: TimeText.nullable(),
  })
  .openapi("Application");
export type Application = z.infer<typeof Application>;

/** What an administrator sees of it. */
export const ApplicationRecord = Application.extend({
  application_id: z.string(),
  form: ApplicationForm,
  note: z.string(),
}).openapi("ApplicationRecord");
export type ApplicationRecord = z.infer<typeof ApplicationRecord>;

/** The id of an application in a path. */
export const ApplicationId = z
  .string()
  .max(64)
  .openapi({ type: "string", example: "app_0123456789abcdef0123456789abcdef" });
