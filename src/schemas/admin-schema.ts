import * as z from "zod";
import { AddressText, ChainIdNumber, TimeText, VaultIdInput, VaultIdText } from "./primitive-schemas.ts";
import { Asset, VaultProofText, VaultType } from "./vault-schema.ts";

/** An administrator's remark for the audit log. */
const Note = z.string().trim().max(1000).default("").meta({
  description: "Administrator's remark, kept in the audit log.",
  example: "Reviewed the company's website and contacts",
});

/** Request body of an administrator's decision about a partner application. */
export const DecisionInput = z
  .strictObject({ note: Note })
  .meta({ id: "DecisionInput", description: "An administrator's decision about a partner application." });

/** Status of a vault in the registry. */
const RegistryStatus = z
  .enum(["candidate", "active", "refused", "paused", "unsupported"])
  .meta({ id: "RegistryStatus", description: "Status of a vault in the registry." });

/** Name of the adapter that reads a vault's contracts and encodes its deposits. */
const AdapterName = z.string().min(1).max(64).meta({
  description:
    "Adapter that reads the vault's contracts and encodes its deposits; more specific than `type`.",
  example: "erc4626",
});

/**
 * Request body for adding a vault to the registry. Its contract addresses are not part of it, because they are read
 * from on-chain data.
 */
export const NewVaultInput = z
  .strictObject({
    vault_id: VaultIdInput,
    type: VaultType.default("custom").meta({
      description: "Family of the vault. It is ignored if the adapter determines the family.",
    }),
    adapter: AdapterName.default("erc4626"),
    name: z.string().trim().max(120).default("").meta({
      description: "Display name of the vault. Default: the name that its contract returns, or its vault id.",
      example: "Steakhouse USDC",
    }),
    curator: z.string().trim().max(120).default("").meta({
      description: "Curator of the vault, or empty if unknown.",
      example: "Steakhouse Financial",
    }),
    note: Note,
  })
  .meta({
    id: "NewVaultInput",
    description: "A vault to add to the registry. Its contract addresses are read from on-chain data.",
  });
export type NewVaultInput = z.infer<typeof NewVaultInput>;

/** Request body for changing the status of a vault in the registry. */
export const VaultChangeInput = z
  .strictObject({
    status: z.enum(["active", "paused", "unsupported"]).meta({
      description:
        "New status. `active`: listed and open for deposits; `paused`: listed, but deposits are rejected; `unsupported`: " +
        "not listed. When a vault leaves `unsupported`, its contract addresses are read from on-chain data again.",
    }),
    reason: z.string().trim().max(500).default("").meta({
      description: "Reason for the change. It is public: vaults show it as `paused_reason`.",
      example: "The vault is being migrated",
    }),
  })
  .meta({ id: "VaultChangeInput", description: "A change to the status of a vault in the registry." });
export type VaultChangeInput = z.infer<typeof VaultChangeInput>;

/** A vault's entry in the registry, as administrators see it. */
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
      description:
        "Adapter that reads the vault's contracts and encodes its deposits; more specific than `type`.",
      example: "erc4626",
    }),
    status: RegistryStatus.meta({
      description:
        "Registry status. `candidate`: known, but not proven; `active`: listed and open for deposits; `refused`: its " +
        "proof failed; `paused`: listed, but deposits are rejected; `unsupported`: excluded by an administrator.",
    }),
    status_reason: z.string().meta({
      description: "Reason for the status, or empty if none was given.",
      example: "The vault is being migrated",
    }),
    asset: Asset.meta({ description: "Underlying asset of the vault." }),
    share_token: AddressText.meta({
      description: "Address of the share token.",
      example: "0xbeeF010f9cb27031ad51e3333f9aF9C6B1228183",
    }),
    entry_point: AddressText.meta({
      description: "Contract that deposits call: the vault itself, a teller, a queue or an issuance vault.",
      example: "0xbeeF010f9cb27031ad51e3333f9aF9C6B1228183",
    }),
    spender: AddressText.meta({
      description: "Contract that needs an allowance for the asset.",
      example: "0xbeeF010f9cb27031ad51e3333f9aF9C6B1228183",
    }),
    pricer: AddressText.meta({
      description: "Contract from which the share price is read.",
      example: "0xbeeF010f9cb27031ad51e3333f9aF9C6B1228183",
    }),
    caller: z.enum(["router", "user"]).meta({
      description:
        "Account that calls the entry point. `router`: the DepositRouter; `user`: the user, because the vault checks or " +
        "records its caller.",
    }),
    curator: z.string().meta({
      description: "Curator of the vault, or empty if unknown.",
      example: "Steakhouse Financial",
    }),
    status_by: z.enum(["admin", "proof"]).meta({
      description: "Who decided the status: an administrator, or the vault's proof.",
    }),
    provenance: z
      .object({
        source: z.enum(["seed", "operator", "list", "factory"]).meta({
          description:
            "`seed`: the reviewed entries of a release; `operator`: added by an administrator; `list`: imported from a " +
            "public list; `factory`: found at a factory or register on chain.",
        }),
        detail: z.string().meta({ description: "Name of the list or factory, or empty.", example: "" }),
      })
      .meta({ description: "Where the entry comes from." }),
    claim: z
      .object({
        adapter: z.string().meta({ description: "Claimed adapter.", example: "erc4626" }),
        asset: AddressText.nullable().meta({ description: "Claimed asset, or `null` if none was claimed." }),
        share_token: AddressText.nullable().meta({
          description: "Claimed share token, or `null` if none was claimed.",
        }),
      })
      .nullable()
      .meta({ description: "What the source of the entry claims, or `null` for older entries." }),
    proof: VaultProofText.nullable().meta({
      description: "Last simulated deposit into the vault, or `null` before the first.",
    }),
    proof_due_at: TimeText.meta({ description: "Time of the next proof." }),
    created_at: TimeText.meta({ description: "Time at which the vault was added to the registry." }),
    updated_at: TimeText.meta({ description: "Time of the last change to this entry." }),
  })
  .meta({ id: "VaultRecord", description: "A vault's entry in the registry." });
export type VaultRecord = z.infer<typeof VaultRecord>;

/** One entry of the audit log: a change that an administrator or a partner made. */
export const AuditEntry = z
  .object({
    id: z.string().meta({
      description: "Id of the audit entry.",
      example: "aud_0123456789abcdef0123456789abcdef",
    }),
    at: TimeText.meta({ description: "Time of the change." }),
    actor: z.string().meta({
      description: "Who made the change: `admin`, or the partner's lowercase address.",
      example: "admin",
    }),
    action: z.string().meta({ description: "Kind of change.", example: "application.approve" }),
    subject: z.string().meta({
      description: "Partner application, vault or partner that was changed.",
      example: "app_0123456789abcdef0123456789abcdef",
    }),
    note: z.string().meta({
      description: "Remark made with the change, or empty if there is none.",
      example: "Reviewed the company's website and contacts",
    }),
    before: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({
        description: "Values before the change, or `null` if the subject did not exist.",
        example: { status: "pending" },
      }),
    after: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({
        description: "Values after the change, or `null` if the subject was removed.",
        example: { status: "approved" },
      }),
    request_id: z.string().meta({
      description: "Id of the request that made the change.",
      example: "5f0c8d0e-3b1a-4a57-9c39-0f6f3a1f7c11",
    }),
  })
  .meta({
    id: "AuditEntry",
    description: "One entry of the audit log: a change by an administrator or a partner.",
  });
export type AuditEntry = z.infer<typeof AuditEntry>;
