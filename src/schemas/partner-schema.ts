import * as z from "zod";
import { Deposit } from "./deposit-schema.ts";
import {
  AddressInput,
  AddressText,
  AmountText,
  ChainIdNumber,
  TimeText,
  VaultIdInput,
  VaultIdText,
} from "./primitive-schemas.ts";
import { SignedNonce, SigningChain } from "./signing-schema.ts";

/** Body of a request for the nonce that a partner signs. */
export const PartnerNonceInput = z
  .strictObject({
    address: AddressInput.meta({
      description: "Wallet that will sign the message.",
      example: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    }),
    purpose: z.enum(["register", "login"]).optional().meta({
      description:
        "Operation that the signature is for. Default: `login` for a registered partner, otherwise `register`.",
    }),
    chain_id: SigningChain,
  })
  .meta({ id: "PartnerNonceInput", description: "A request for a nonce to register or sign in with." });

const Profile = z.strictObject({
  name: z.string().trim().max(120).meta({
    description: "Display name of the partner.",
    example: "Example Wallet",
  }),
  website: z.string().trim().max(300).meta({
    description: "Website of the partner.",
    example: "https://wallet.example",
  }),
  contact_email: z.union([z.email().max(254), z.literal("")]).meta({
    description: "Contact e-mail address of the partner; empty to give none.",
    example: "partners@example.com",
  }),
  description: z.string().trim().max(2000).meta({
    description: "Description in the partner's own words.",
    example: "A self-custodial wallet for stablecoin savings",
  }),
});

/** Body of a registration. */
export const RegisterInput = SignedNonce.extend({
  name: Profile.shape.name.default("").meta({
    description: "Display name of the partner. Default: the company of the application.",
  }),
  website: Profile.shape.website.default("").meta({
    description: "Website of the partner. Default: the one of the application.",
  }),
  contact_email: Profile.shape.contact_email.default("").meta({
    description: "Contact e-mail address of the partner. Default: the one of the application.",
  }),
  description: Profile.shape.description.default(""),
}).meta({ id: "RegisterInput", description: "A registration, signed with the partner's wallet." });
export type RegisterInput = z.infer<typeof RegisterInput>;

/** Body of a login. */
export const LoginInput = SignedNonce.meta({
  id: "LoginInput",
  description: "A login, signed with the partner's wallet.",
});

/** 0 direct, 1 creator, 2 wallet. */
const PartnerType = z.int().min(0).max(2).meta({
  description: "Kind of partner: 0 direct, 1 creator, 2 wallet.",
  example: 2,
});

/** Body of a change of the partner's profile. */
export const SettingsInput = Profile.partial().extend({ partner_type: PartnerType.optional() }).meta({
  id: "SettingsInput",
  description: "Changes to the partner's profile; absent fields stay as they are.",
});
export type SettingsInput = z.infer<typeof SettingsInput>;

/** Body of a change of the partner's enrolled vaults. */
export const PartnerVaultsInput = z
  .strictObject({
    vault_ids: z
      .array(VaultIdInput)
      .max(500)
      .nullable()
      .meta({
        description:
          "Vaults that deposits with the partner's key may go to, at most 500; `null` for any vault, an empty list for none.",
        example: ["8453:0xbeef010f9cb27031ad51e3333f9af9c6b1228183"],
      }),
  })
  .meta({ id: "PartnerVaultsInput", description: "The vaults that a partner enrols." });

/** A new pair of API key and secret. */
export const RotatedKeys = z
  .object({
    api_key: z.string().meta({
      description: "Public API key that identifies the partner; safe to use in a frontend.",
    }),
    api_secret: z.string().meta({
      description:
        "Secret of the API key, for backends only. Shown only once; only a keyed hash of it is stored.",
    }),
    api_key_prefix: z.string().meta({
      description: "First and last characters of the API key, to recognise it by.",
      example: "cw_live_7Gh2…k9Qz",
    }),
  })
  .meta({ id: "RotatedKeys", description: "A new pair of API key and secret." });
export type RotatedKeys = z.infer<typeof RotatedKeys>;

const PartnerId = z.string().meta({
  description: "Id of the partner; deposits carry its keccak256 hash on chain.",
  example: "ptr_0123456789abcdef0123456789abcdef",
});

const SessionToken = z.string().meta({
  description: "Session token, to be sent as `Authorization: Bearer <token>`. Shown only once.",
});

/** Answer to a registration: the partner, its keys and a session. */
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
}).meta({ id: "Registration", description: "A registered partner, with its keys and a session." });
export type Registration = z.infer<typeof Registration>;

/** A partner's own account. */
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
      description: "Website of the partner; empty when not given.",
      example: "https://wallet.example",
    }),
    contact_email: z.string().meta({
      description: "Contact e-mail address of the partner; empty when not given.",
      example: "partners@example.com",
    }),
    description: z.string().meta({
      description: "Description in the partner's own words; empty when not given.",
      example: "A self-custodial wallet for stablecoin savings",
    }),
    vault_ids: z.array(VaultIdText).nullable().meta({
      description:
        "Vaults that deposits with the partner's key may go to; `null` for any vault, an empty list for none.",
    }),
    api_key_prefix: z.string().meta({
      description: "First and last characters of the API key, to recognise it by.",
      example: "cw_live_7Gh2…k9Qz",
    }),
    api_key_created_at: TimeText.meta({ description: "Time at which the current API key was created." }),
    created_at: TimeText.meta({ description: "Time of the partner's registration." }),
  })
  .meta({ id: "Partner", description: "A partner's own account." });
export type Partner = z.infer<typeof Partner>;

/** Answer to a login. */
export const Login = z
  .object({
    session_token: SessionToken,
    expires_at: TimeText.meta({ description: "Time at which the session expires." }),
    partner: Partner.meta({ description: "The partner that signed in." }),
  })
  .meta({ id: "Login", description: "A session of a partner." });
export type Login = z.infer<typeof Login>;

/** What was paid in with one token: never added to another token's. */
const Volume = z
  .object({
    chain_id: ChainIdNumber.meta({ description: "EIP-155 id of the token's chain." }),
    token_address: AddressText.meta({ description: "Token that the deposits were paid with, checksummed." }),
    symbol: z.string().meta({
      description: "Symbol of the token; empty for a token that no listed vault takes.",
      example: "USDC",
    }),
    decimals: z
      .int()
      .nullable()
      .meta({ description: "Decimals of the token; `null` when unknown.", example: 6 }),
    deposits: z.int().meta({ description: "Number of completed deposits paid with the token.", example: 42 }),
    users: z.int().meta({ description: "Number of distinct addresses that paid them.", example: 31 }),
    amount: AmountText.meta({
      description: "Amount paid in, in the token's smallest unit; never summed across tokens.",
      example: "125000000000",
    }),
  })
  .meta({ id: "PartnerVolume", description: "Completed deposits paid with one token." });

/** Figures of a partner's deposits. */
export const Dashboard = z
  .object({
    partner_id: PartnerId,
    since: TimeText.nullable().meta({
      description: "Start of the period; only deposits built from then on are counted. `null` when all are.",
    }),
    deposits: z
      .object({
        built: z.int().meta({ description: "Deposits built, whether or not they were sent.", example: 120 }),
        verified: z
          .int()
          .meta({ description: "Built deposits that the key's secret was sent with.", example: 90 }),
        sent: z.int().meta({ description: "Deposits seen on chain.", example: 60 }),
        pending: z.int().meta({ description: "Deposits sent and not yet final.", example: 4 }),
        completed: z.int().meta({ description: "Deposits whose shares reached the user.", example: 52 }),
        partial: z.int().meta({
          description: "Deposits in which the user received the asset instead of shares.",
          example: 1,
        }),
        refunded: z.int().meta({ description: "Deposits that were paid back to the user.", example: 2 }),
        failed: z.int().meta({
          description: "Deposits that failed, with neither shares nor a refund so far.",
          example: 1,
        }),
      })
      .meta({ description: "Number of deposits by outcome." }),
    users: z.int().meta({
      description: "Number of distinct addresses with a deposit seen on chain.",
      example: 48,
    }),
    success_rate: z.number().nullable().meta({
      description: "Completed deposits as a fraction of those that ended; `null` when none ended.",
      example: 0.9286,
    }),
    volumes: z.array(Volume).meta({ description: "Completed deposits by the token they were paid with." }),
  })
  .meta({ id: "Dashboard", description: "Figures of the deposits built with a partner's key." });
export type Dashboard = z.infer<typeof Dashboard>;

/** A deposit as its partner sees it. */
export const PartnerTransaction = Deposit.extend({
  verified: z.boolean().meta({
    description: "Whether the deposit was built with the key's secret, not the key alone.",
    example: true,
  }),
  referrer: AddressText.meta({
    description: "Address that referred the user; the zero address when there is none.",
    example: "0x0000000000000000000000000000000000000000",
  }),
  referrer_handle: z.string().meta({
    description: "Handle that referred the user; empty when there is none.",
    example: "alice",
  }),
}).meta({ id: "PartnerTransaction", description: "A deposit built with a partner's key." });
export type PartnerTransaction = z.infer<typeof PartnerTransaction>;
