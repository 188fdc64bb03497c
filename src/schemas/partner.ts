import { z } from "@hono/zod-openapi";
import { Deposit } from "./deposit.ts";
import {
  AddressInput,
  AddressText,
  AmountText,
  ChainIdNumber,
  TimeText,
  VaultIdInput,
  VaultIdText,
} from "./primitives.ts";
import { SignedNonce, SigningChain } from "./signing.ts";

export const PartnerNonceInput = z
  .strictObject({
    address: AddressInput,
    purpose: z.enum(["register", "login"]).optional().openapi({
      description: "Default: login for a registered partner, else register",
    }),
    chain_id: SigningChain,
  })
  .openapi("PartnerNonceInput");

const Profile = z.strictObject({
  name: z.string().trim().max(120),
  website: z.string().trim().max(300),
  contact_email: z.union([z.email().max(254), z.literal("")]),
  description: z.string().trim().max(2000),
});

export const RegisterInput = SignedNonce.extend({
  name: Profile.shape.name.default(""),
  website: Profile.shape.website.default(""),
  contact_email: Profile.shape.contact_email.default(""),
  description: Profile.shape.description.default(""),
}).openapi("RegisterInput");
export type RegisterInput = z.infer<typeof RegisterInput>;

export const LoginInput = SignedNonce.openapi("LoginInput");

/** 0 direct, 1 creator, 2 wallet. */
const PartnerType = z.int().min(0).max(2).openapi({ description: "0 direct, 1 creator, 2 wallet" });

export const SettingsInput = Profile.partial()
  .extend({ partner_type: PartnerType.optional() })
  .openapi("SettingsInput");
export type SettingsInput = z.infer<typeof SettingsInput>;

export const PartnerVaultsInput = z
  .strictObject({
    vault_ids: z.array(VaultIdInput).max(500).nullable().openapi({
      description:
        "The only vaults that deposits with the partner's key may go to, at most 500; null: any vault, empty: none",
    }),
  })
  .openapi("PartnerVaultsInput");

export const RotatedKeys = z
  .object({ api_key: z.string(), api_secret: z.string(), api_key_prefix: z.string() })
  .openapi("RotatedKeys");
export type RotatedKeys = z.infer<typeof RotatedKeys>;

export const Registration = RotatedKeys.extend({
  address: AddressText,
  name: z.string(),
  partner_id: z.string(),
  created_at: TimeText,
  session_token: z.string(),
  expires_at: TimeText,
}).openapi("Registration");
export type Registration = z.infer<typeof Registration>;

export const Partner = z
  .object({
    address: AddressText,
    partner_id: z.string(),
    partner_type: PartnerType,
    name: z.string(),
    website: z.string(),
    contact_email: z.string(),
    description: z.string(),
    vault_ids: z.array(VaultIdText).nullable(),
    api_key_prefix: z.string(),
    api_key_created_at: TimeText,
    created_at: TimeText,
  })
  .openapi("Partner");
export type Partner = z.infer<typeof Partner>;

export const Login = z
  .object({ session_token: z.string(), expires_at: TimeText, partner: Partner })
  .openapi("Login");
export type Login = z.infer<typeof Login>;

/** What was paid in with one token: never added to another token's. */
const Volume = z
  .object({
    chain_id: ChainIdNumber,
    token_address: AddressText,
    symbol: z.string().openapi({ description: "Empty: a token that no vault of ours takes" }),
    decimals: z.int().nullable(),
    deposits: z.int(),
    users: z.int(),
    amount: AmountText,
  })
  .openapi("PartnerVolume");

export const Dashboard = z
  .object({
    partner_id: z.string(),
    since: TimeText.nullable(),
    deposits: z.object({
      built: z.int().openapi({ description: "Handed out, whether or not they were sent" }),
      verified: z.int().openapi({ description: "Of those, built with the key's secret" }),
      sent: z.int().openapi({ description: "Seen on chain" }),
      pending: z.int(),
      completed: z.int(),
      partial: z.int(),
      refunded: z.int(),
      failed: z.int(),
    }),
    users: z.int().openapi({ description: "Addresses with a deposit that was seen on chain" }),
    success_rate: z
      .number()
      .nullable()
      .openapi({ description: "Completed among those that ended; null: none ended" }),
    volumes: z.array(Volume).openapi({ description: "Completed deposits, by the token they were paid in" }),
  })
  .openapi("Dashboard");
export type Dashboard = z.infer<typeof Dashboard>;

export const PartnerTransaction = Deposit.extend({
  verified: z.boolean().openapi({ description: "Whether the key's secret was there too" }),
  referrer: AddressText,
  referrer_handle: z.string(),
}).openapi("PartnerTransaction");
export type PartnerTransaction = z.infer<typeof PartnerTransaction>;
