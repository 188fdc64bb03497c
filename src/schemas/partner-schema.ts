import * as z from "zod";
import { PartnerTypeInput } from "./build-input-schema.ts";
import { Deposit } from "./deposit-schema.ts";
import {
  AddressInput,
  AddressText,
  TimeText,
  VaultIdInput,
  VaultIdText,
  WebsiteInput,
} from "./primitive-schemas.ts";
import { SignedNonce, SigningChain } from "./signing-schema.ts";
import { Withdrawal } from "./withdrawal-schema.ts";

/** Request body for getting the message, with a nonce, that a wallet signs to register or sign in as a partner. */
export const PartnerNonceInput = z
  .object({
    address: AddressInput.meta({
      description: "Wallet that will sign the message.",
      example: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    }),
    purpose: z.enum(["register", "login"]).optional().meta({
      description:
        "Operation that the signature authorizes. Default: `login` for a registered partner, otherwise `register`.",
    }),
    chain_id: SigningChain,
  })
  .meta({
    id: "PartnerNonceInput",
    description: "A request for a message to sign for a registration or login.",
  });

/** Profile fields that a partner can set. */
const Profile = z.object({
  name: z.string().trim().max(120).meta({
    description: "Display name of the partner.",
    example: "Example Wallet",
  }),
  website: WebsiteInput.meta({ description: "Website of the partner." }),
  contact_email: z.union([z.email().max(254), z.literal("")]).meta({
    description: "Contact e-mail address of the partner, or empty for none.",
    example: "partners@example.com",
  }),
  description: z.string().trim().max(2000).meta({
    description: "Description in the partner's own words.",
    example: "A self-custodial wallet for stablecoin savings",
  }),
});

/** Request body for registering as a partner. */
export const RegisterInput = SignedNonce.extend({
  name: Profile.shape.name.default("").meta({
    description: "Display name of the partner. Default: the company in the partner application.",
  }),
  website: Profile.shape.website.default("").meta({
    description: "Website of the partner. Default: the one in the partner application.",
  }),
  contact_email: Profile.shape.contact_email.default("").meta({
    description: "Contact e-mail address of the partner. Default: the one in the partner application.",
  }),
  description: Profile.shape.description.default(""),
}).meta({ id: "RegisterInput", description: "A registration, signed by the partner's wallet." });
export type RegisterInput = z.infer<typeof RegisterInput>;

/** Request body for signing in as a partner. */
export const LoginInput = SignedNonce.meta({
  id: "LoginInput",
  description: "A login, signed by the partner's wallet.",
});

const PartnerType = PartnerTypeInput.meta({
  description: "Kind of partner: 0 direct, 1 creator, 2 wallet.",
  example: 2,
});

/** Request body for changing the partner's profile. */
export const SettingsInput = Profile.partial().extend({ partner_type: PartnerType.optional() }).meta({
  id: "SettingsInput",
  description: "Changes to the partner's profile; omitted fields stay unchanged.",
});
export type SettingsInput = z.infer<typeof SettingsInput>;

/** Request body for setting the vaults for which the partner's API keys may build deposits and withdrawals. */
export const PartnerVaultsInput = z
  .object({
    vault_ids: z
      .array(VaultIdInput)
      .max(500)
      .nullable()
      .meta({
        description:
          "Vaults that the partner's API key may deposit into and withdraw from, at most 500; `null` allows every vault, an empty list none.",
        example: ["8453:0xbeef010f9cb27031ad51e3333f9af9c6b1228183"],
      }),
  })
  .meta({ id: "PartnerVaultsInput", description: "The vaults that a partner enrolls for its API keys." });

/** A new API key and its secret, which the partner sees only once. */
export const RotatedKeys = z
  .object({
    api_key: z.string().meta({
      description: "Public API key, which identifies the partner. It may be used in frontends.",
    }),
    api_secret: z.string().meta({
      description: "Secret of the API key, for backends only. Shown only once: only a keyed hash is stored.",
    }),
    api_key_prefix: z.string().meta({
      description: "First and last characters of the API key, to recognize it.",
      example: "cw_live_7Gh2…k9Qz",
    }),
  })
  .meta({ id: "RotatedKeys", description: "A new API key and its secret." });
export type RotatedKeys = z.infer<typeof RotatedKeys>;

/** Id of a partner, as API responses show it. */
export const PartnerId = z.string().meta({
  description: "Id of the partner. The DepositRouter records its keccak256 hash on-chain.",
  example: "ptr_0123456789abcdef0123456789abcdef",
});

/** Session token, as responses to registration and login show it. */
const SessionToken = z.string().meta({
  description: "Session token, to be sent as `Authorization: Bearer <token>`. It is shown only once.",
});

/** Response to a registration: the partner, its API key and secret, and a session. */
export const Registration = RotatedKeys.extend({
  address: AddressText.meta({
    description: "Wallet of the partner, checksummed.",
    example: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  }),
  name: z.string().meta({ description: "Display name of the partner.", example: "Example Wallet" }),
  partner_id: PartnerId,
  created_at: TimeText.meta({ description: "Time of the registration." }),
  session_token: SessionToken,
  expires_at: TimeText.meta({ description: "Time at which the session expires." }),
}).meta({
  id: "Registration",
  description: "A registered partner, with its API key and secret and a session.",
});
export type Registration = z.infer<typeof Registration>;

/** A partner's account, as the partner sees it. */
export const Partner = z
  .object({
    address: AddressText.meta({
      description: "Wallet of the partner, checksummed.",
      example: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    }),
    partner_id: PartnerId,
    partner_type: PartnerType,
    name: z.string().meta({ description: "Display name of the partner.", example: "Example Wallet" }),
    website: z.string().meta({
      description: "Website of the partner, or empty if there is none.",
      example: "https://wallet.example",
    }),
    contact_email: z.string().meta({
      description: "Contact e-mail address of the partner, or empty if there is none.",
      example: "partners@example.com",
    }),
    description: z.string().meta({
      description: "Description in the partner's own words, or empty if there is none.",
      example: "A self-custodial wallet for stablecoin savings",
    }),
    vault_ids: z.array(VaultIdText).nullable().meta({
      description:
        "Vaults that the partner's API key may deposit into and withdraw from; `null` allows every vault, an empty list none.",
    }),
    api_key_prefix: z.string().meta({
      description: "Start and end of the first listed API key, or empty if all were revoked.",
      example: "cw_live_7Gh2…k9Qz",
    }),
    api_key_created_at: TimeText.meta({
      description: "When the first listed key was created or rotated; the registration if all were revoked.",
    }),
    created_at: TimeText.meta({ description: "Time of the partner's registration." }),
  })
  .meta({ id: "Partner", description: "A partner's account, as the partner sees it." });
export type Partner = z.infer<typeof Partner>;

/** Response to a login: a session and the partner's account. */
export const Login = z
  .object({
    session_token: SessionToken,
    expires_at: TimeText.meta({ description: "Time at which the session expires." }),
    partner: Partner.meta({ description: "The partner that signed in." }),
  })
  .meta({ id: "Login", description: "A new session and the partner that signed in." });
export type Login = z.infer<typeof Login>;

/** Fields that a partner sees of each deposit or withdrawal built with its API key. */
const ByPartner = {
  verified: z.boolean().meta({
    description: "Whether it was built with the API key and its secret, not with the API key alone.",
    example: true,
  }),
};

/** A tracked deposit, as shown to the partner with whose API key it was built. */
const PartnerDeposit = Deposit.extend({
  direction: z.literal("deposit").meta({ description: "The user paid into a vault.", example: "deposit" }),
  ...ByPartner,
  referrer: AddressText.meta({
    description: "Address that referred the user; the zero address when there is none.",
    example: "0x0000000000000000000000000000000000000000",
  }),
  referrer_handle: z.string().meta({
    description: "Handle that referred the user, or empty if there is none.",
    example: "alice",
  }),
}).meta({ id: "PartnerDeposit", description: "A deposit built with a partner's API key." });

/** A tracked withdrawal, as shown to the partner with whose API key it was built. */
const PartnerWithdrawal = Withdrawal.extend({
  direction: z.literal("withdrawal").meta({
    description: "The user was paid by a vault.",
    example: "withdrawal",
  }),
  ...ByPartner,
}).meta({ id: "PartnerWithdrawal", description: "A withdrawal built with a partner's API key." });

/** A deposit or withdrawal that was built with a partner's API key. */
export const PartnerTransaction = z
  .discriminatedUnion("direction", [PartnerDeposit, PartnerWithdrawal])
  .meta({ id: "PartnerTransaction", description: "A deposit or withdrawal built with a partner's API key." });
export type PartnerTransaction = z.infer<typeof PartnerTransaction>;
