import * as z from "zod";
import { AddressInput, AddressText, TimeText, WEBSITE_RULE, WebsiteInput } from "./primitive-schemas.ts";
import { SignedNonce, SigningChain } from "./signing-schema.ts";

/** Statuses of a partner application. */
export const applicationStatuses = ["pending", "approved", "rejected", "revoked"] as const;

/** Status of a partner application. */
export const ApplicationStatus = z.enum(applicationStatuses);
export type ApplicationStatus = z.infer<typeof ApplicationStatus>;

/** Optional free text in a partner application, at most 300 characters. */
const shortText = z.string().max(300);

/** Id of a partner application, as API responses show it. */
const ApplicationIdText = z.string().meta({
  description: "Id of the partner application.",
  example: "app_0123456789abcdef0123456789abcdef",
});

/** Information that an applicant gives about itself in a partner application. */
export const ApplicationForm = z
  .object({
    company: z.string().trim().min(1).max(120).meta({
      description: "Name of the applying company.",
      example: "Example Wallet Ltd",
    }),
    email: z.email().max(254).meta({
      description: "E-mail address of the applicant.",
      example: "partners@example.com",
    }),
    role: shortText.optional().meta({
      description: "Role of the contact person at the company.",
      example: "Head of Partnerships",
    }),
    mau: z
      .union([z.int().min(0), shortText])
      .optional()
      .meta({ description: "Monthly active users: a number, or a range in words.", example: 25000 }),
    chains: z
      .union([shortText, z.array(z.union([z.int(), shortText])).max(50)])
      .optional()
      .meta({
        description: "Chains that the product supports: free text, or a list of chain ids and names.",
        example: [1, 8453],
      }),
    telegram: shortText.optional().meta({
      description: "Telegram handle of the applicant.",
      example: "@examplewallet",
    }),
    website: shortText.optional().meta({
      description: "Website of the company.",
      example: "https://wallet.example",
    }),
  })
  .meta({ id: "ApplicationForm", description: "Information that an applicant gives about itself." });
export type ApplicationForm = z.infer<typeof ApplicationForm>;

/** Request body for getting the message, with a nonce, that an applicant signs to submit a partner application. */
export const ApplicationNonceInput = z
  .object({
    address: AddressInput.meta({
      description: "Wallet that will sign the partner application.",
      example: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    }),
    chain_id: SigningChain,
  })
  .meta({
    id: "ApplicationNonceInput",
    description: "A request for a message to sign for a partner application.",
  });

/** Request body for submitting a signed partner application. */
export const ApplicationInput = SignedNonce.extend({
  form: ApplicationForm.meta({ description: "Information that the applicant gives about itself." }),
})
  // Checked here and not in the form, which responses contain too: they show what was once accepted.
  .refine(({ form }) => WebsiteInput.safeParse(form.website ?? "").success, {
    path: ["form", "website"],
    message: WEBSITE_RULE,
  })
  .meta({ id: "ApplicationInput", description: "A partner application, signed by the applicant's wallet." });
export type ApplicationInput = z.infer<typeof ApplicationInput>;

/** Response to a submitted partner application. */
export const ApplicationReceipt = z
  .object({
    application_id: ApplicationIdText,
    status: ApplicationStatus.meta({ description: "Always `pending`.", example: "pending" }),
  })
  .meta({ id: "ApplicationReceipt", description: "Confirmation that a partner application was submitted." });
export type ApplicationReceipt = z.infer<typeof ApplicationReceipt>;

/** Public state of a partner application, which anyone may read. */
export const Application = z
  .object({
    address: AddressText.meta({
      description: "Wallet that applied, checksummed.",
      example: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    }),
    status: ApplicationStatus.meta({
      description:
        "Status of the partner application. After `rejected` the wallet can apply again; after `revoked` only an " +
        "administrator can reopen the partner application.",
    }),
    created_at: TimeText.meta({ description: "Time at which the partner application was submitted." }),
    decided_at: TimeText.nullable().meta({
      description:
        "Time of the administrator's last decision, or `null` while the partner application is pending.",
    }),
  })
  .meta({ id: "Application", description: "Public state of a partner application." });
export type Application = z.infer<typeof Application>;

/** A partner application with the information that only administrators see. */
export const ApplicationRecord = Application.extend({
  application_id: ApplicationIdText,
  form: ApplicationForm.meta({ description: "Information that the applicant gives about itself." }),
  note: z.string().meta({
    description: "Administrator's remark on the last decision, or empty if there is none.",
    example: "Reviewed the company's website and contacts",
  }),
}).meta({ id: "ApplicationRecord", description: "A partner application, as administrators see it." });
export type ApplicationRecord = z.infer<typeof ApplicationRecord>;

/** Id of a partner application in a path. */
export const ApplicationId = z.string().max(64).meta({
  type: "string",
  description: "Id of the partner application, as `GET /v1/admin/applications` returns it.",
  example: "app_0123456789abcdef0123456789abcdef",
});
