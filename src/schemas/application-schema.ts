import * as z from "zod";
import { AddressInput, AddressText, TimeText } from "./primitive-schemas.ts";
import { SignedNonce, SigningChain } from "./signing-schema.ts";

/** The states of an application. */
export const applicationStatuses = ["pending", "approved", "rejected", "revoked"] as const;

/** The state of an application. */
export const ApplicationStatus = z.enum(applicationStatuses);
export type ApplicationStatus = z.infer<typeof ApplicationStatus>;

const shortText = z.string().max(300);

const ApplicationIdText = z.string().meta({
  description: "Id of the application.",
  example: "app_0123456789abcdef0123456789abcdef",
});

/** What an applicant says of itself. */
export const ApplicationForm = z
  .strictObject({
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
  .meta({ id: "ApplicationForm", description: "What an applicant says about itself." });
export type ApplicationForm = z.infer<typeof ApplicationForm>;

/** Body of a request for the nonce that an application is signed with. */
export const ApplicationNonceInput = z
  .strictObject({
    address: AddressInput.meta({
      description: "Wallet that will sign the application.",
      example: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    }),
    chain_id: SigningChain,
  })
  .meta({ id: "ApplicationNonceInput", description: "A request for a nonce to sign an application with." });

/** Body of an application. */
export const ApplicationInput = SignedNonce.extend({
  form: ApplicationForm.meta({ description: "What the applicant says about itself." }),
}).meta({ id: "ApplicationInput", description: "An application, signed with the applicant's wallet." });
export type ApplicationInput = z.infer<typeof ApplicationInput>;

/** Answer to an application. */
export const ApplicationReceipt = z
  .object({
    application_id: ApplicationIdText,
    status: ApplicationStatus.meta({ description: "Always `pending`.", example: "pending" }),
  })
  .meta({ id: "ApplicationReceipt", description: "Confirmation that an application was received." });
export type ApplicationReceipt = z.infer<typeof ApplicationReceipt>;

/** What anybody may know of an application. */
export const Application = z
  .object({
    address: AddressText.meta({
      description: "Wallet that applied, checksummed.",
      example: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    }),
    status: ApplicationStatus.meta({
      description:
        "State of the application. A `rejected` one may be submitted again; a `revoked` one can only be reopened by an " +
        "administrator.",
    }),
    created_at: TimeText.meta({ description: "Time at which the application was submitted." }),
    decided_at: TimeText.nullable().meta({
      description: "Time of the administrator's last decision; `null` while there is none.",
    }),
  })
  .meta({ id: "Application", description: "The public state of an application." });
export type Application = z.infer<typeof Application>;

/** What an administrator sees of it. */
export const ApplicationRecord = Application.extend({
  application_id: ApplicationIdText,
  form: ApplicationForm.meta({ description: "What the applicant says about itself." }),
  note: z.string().meta({
    description: "Administrator's remark on the last decision; empty when there is none.",
    example: "Reviewed the company's website and contacts",
  }),
}).meta({ id: "ApplicationRecord", description: "An application as an administrator sees it." });
export type ApplicationRecord = z.infer<typeof ApplicationRecord>;

/** The id of an application in a path. */
export const ApplicationId = z.string().max(64).meta({
  type: "string",
  description: "Id of the application, as listed by `GET /v1/admin/applications`.",
  example: "app_0123456789abcdef0123456789abcdef",
});
