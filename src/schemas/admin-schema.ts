import * as z from "zod";
import { AddressText, ChainIdNumber, TimeText, VaultIdInput, VaultIdText } from "./primitive-schemas.ts";
import { Asset, VaultType } from "./vault-schema.ts";

const Note = z.string().trim().max(1000).default("").meta({
  description: "Administrator's remark, kept in the audit log.",
  example: "Reviewed the company's website and contacts",
});

/** Body of the operations that decide an application. */
export const DecisionInput = z
  .strictObject({ note: Note })
  .meta({ id: "DecisionInput", description: "An administrator's decision on an application." });

const VaultStatus = z.enum(["active", "paused", "unsupported"]);

const AdapterName = z.string().min(1).max(64).meta({
  description: "Adapter that talks to the vault's contracts; finer than `type`.",
  example: "erc4626",
});

/** A vault to be added: what it is called, and which code talks to it. Its addresses are not for typing in. */
export const NewVaultInput = z
  .strictObject({
    vault_id: VaultIdInput,
    type: VaultType.default("custom").meta({
      description: "Family of the vault; used only when the adapter does not determine it.",
    }),
    adapter: AdapterName.default("erc4626"),
    name: z.string().trim().max(120).default("").meta({
      description: "Display name of the vault. Default: the name that its contract reports, or else its id.",
      example: "Steakhouse USDC",
    }),
    curator: z.string().trim().max(120).default("").meta({
      description: "Curator of the vault; empty when unknown.",
      example: "Steakhouse Financial",
    }),
    note: Note,
  })
  .meta({
    id: "NewVaultInput",
    description: "A vault to add to the registry. Its contract addresses are derived from the chain.",
  });
export type NewVaultInput = z.infer<typeof NewVaultInput>;

/** Body of a change of a vault's status. */
export const VaultChangeInput = z
  .strictObject({
    status: VaultStatus.meta({
      description:
        "New status. `active`: listed and open for deposits; `paused`: listed, but deposits are refused; `unsupported`: " +
        "not listed. A vault that leaves `unsupported` has its addresses derived from the chain again.",
    }),
    reason: z.string().trim().max(500).default("").meta({
      description: "Reason for the change, shown to the public as `paused_reason`.",
      example: "The vault is being migrated",
    }),
  })
  .meta({ id: "VaultChangeInput", description: "A change of a vault's status in the registry." });
export type VaultChangeInput = z.infer<typeof VaultChangeInput>;

/** A row of the registry as it is. */
export const VaultRecord = z
  .object({
    vault_id: VaultIdText,
    chain_id: ChainIdNumber.meta({ description: "EIP-155 id of the vault's chain." }),
    address: AddressText.meta({
      description: "Address of the vault contract, checksummed.",
      example: "0xbeeF010f9cb27031ad51e3333f9aF9C6B1228183",
    }),
    name: z.string().meta({ description: "Display name of the vault.", example: "Steakhouse USDC" }),
    type: VaultType,
    adapter: z.string().meta({
      description: "Adapter that talks to the vault's contracts; finer than `type`.",
      example: "erc4626",
    }),
    status: VaultStatus.meta({
      description:
        "Registry status. `active`: listed and open for deposits; `paused`: listed, but deposits are refused; " +
        "`unsupported`: not listed.",
    }),
    status_reason: z.string().meta({
      description: "Reason for the status; empty when none was given.",
      example: "The vault is being migrated",
    }),
    asset: Asset.meta({ description: "Underlying asset of the vault." }),
    share_token: AddressText.meta({
      description: "Address of the share token.",
      example: "0xbeeF010f9cb27031ad51e3333f9aF9C6B1228183",
    }),
    entry_point: AddressText.meta({
      description: "Contract that takes deposits: the vault itself, a teller, a queue or an issuance vault.",
      example: "0xbeeF010f9cb27031ad51e3333f9aF9C6B1228183",
    }),
    spender: AddressText.meta({
      description: "Contract that must be approved to spend the asset.",
      example: "0xbeeF010f9cb27031ad51e3333f9aF9C6B1228183",
    }),
    pricer: AddressText.meta({
      description: "Contract that the share price is read from.",
      example: "0xbeeF010f9cb27031ad51e3333f9aF9C6B1228183",
    }),
    caller: z.enum(["router", "user"]).meta({
      description:
        "Caller of the deposit. `router`: the DepositRouter; `user`: the user directly, because the vault checks or " +
        "records who calls it.",
    }),
    curator: z.string().meta({
      description: "Curator of the vault; empty when unknown.",
      example: "Steakhouse Financial",
    }),
    created_at: TimeText.meta({ description: "Time at which the vault was added to the registry." }),
    updated_at: TimeText.meta({ description: "Time of the last change of this row." }),
  })
  .meta({ id: "VaultRecord", description: "A vault as it stands in the registry." });
export type VaultRecord = z.infer<typeof VaultRecord>;

/** One change made by an administrator or a partner. */
export const AuditEntry = z
  .object({
    id: z.string().meta({
      description: "Id of the audit entry.",
      example: "aud_0123456789abcdef0123456789abcdef",
    }),
    at: TimeText.meta({ description: "Time of the change." }),
    actor: z.string().meta({
      description: "Who made the change: `admin`, or the partner's address in lower case.",
      example: "admin",
    }),
    action: z.string().meta({ description: "Kind of change.", example: "application.approve" }),
    subject: z.string().meta({
      description: "Application, vault or partner that was changed.",
      example: "app_0123456789abcdef0123456789abcdef",
    }),
    note: z.string().meta({
      description: "Remark given with the change; empty when none was.",
      example: "Reviewed the company's website and contacts",
    }),
    before: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({
        description: "Changed values before the change; `null` when the subject did not exist.",
        example: { status: "pending" },
      }),
    after: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({
        description: "Changed values after the change; `null` when the subject was removed.",
        example: { status: "approved" },
      }),
    request_id: z.string().meta({
      description: "Id of the request that made the change.",
      example: "5f0c8d0e-3b1a-4a57-9c39-0f6f3a1f7c11",
    }),
  })
  .meta({ id: "AuditEntry", description: "One entry of the audit log." });
export type AuditEntry = z.infer<typeof AuditEntry>;
