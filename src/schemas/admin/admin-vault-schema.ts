import * as z from "zod";
import {
  AddressText,
  ChainIdNumber,
  TimeText,
  TokenInput,
  VaultIdInput,
  VaultIdText,
} from "../primitive-schemas.ts";
import { Asset, VaultProofText, VaultType } from "../vault-schema.ts";
import { AdminNote } from "./admin-schema.ts";

/**
 * Status of a vault in the registry: waiting to be opened (`candidate`), open for deposits (`active`), rejected by its
 * proof (`refused`), listed but closed for deposits (`paused`), or excluded (`unsupported`).
 */
export const RegistryStatus = z
  .enum(["candidate", "active", "refused", "paused", "unsupported"])
  .meta({ description: "Status of a vault in the registry." });

/** Name of the adapter that reads a vault's contracts and encodes its deposits. */
const AdapterName = z.string().min(1).max(64).meta({
  description:
    "Adapter that reads the vault's contracts and encodes its deposits; more specific than `type`.",
  example: "erc4626",
});

/** Parameters of a vault that no contract holds, such as the redemption contract of a Midas token. */
const Params = z.record(z.string().min(1).max(64), z.string().max(200)).meta({
  description:
    "Parameters of the adapter that no contract holds. They are checked on chain where the family can do so. In a change, they replace the stored ones, except the contracts that proofs accepted for requests (`…_requests`).",
  example: { deposit: "request" },
});

/** Additional tokens that a vault may accept without a swap. */
const ClaimedTokens = z
  .array(TokenInput)
  .max(20, "must be at most 20 tokens")
  .meta({
    description:
      "Addresses of further tokens that the vault may accept without a swap. Those that the chain does not confirm are " +
      "left out.",
    example: [],
  });

/** Fields of the claims about a vault, besides its id. */
const claims = {
  adapter: AdapterName.default("erc4626"),
  asset: TokenInput.optional().meta({
    description: "Claimed underlying asset, compared with on-chain data.",
  }),
  share_token: TokenInput.optional().meta({ description: "Claimed share token, compared with the chain." }),
  params: Params.default({}),
  accepted_assets: ClaimedTokens.default([]),
  name: z.string().trim().max(120).default("").meta({
    description:
      "Display name of the vault. Default: the name that its contract returns; until a proof has read it, its vault id.",
    example: "Steakhouse USDC",
  }),
  curator: z.string().trim().max(120).default("").meta({
    description: "Curator of the vault, or empty if unknown.",
    example: "Steakhouse Financial",
  }),
};

/** One of several vaults that are added together. */
const ClaimedVault = z.strictObject({ vault_id: VaultIdInput, ...claims }).meta({
  id: "ClaimedVault",
  description: "Claimed properties of one vault. They are compared with on-chain data.",
});

/** Maximum number of vaults in one request. */
const MAX_CLAIMS = 500;

/**
 * Request body for adding vaults to the registry: one, or up to 500 in `vaults`. The addresses in it are claims, which
 * are compared with the chain.
 */
export const NewVaultInput = z
  .strictObject({
    vault_id: VaultIdInput.optional(),
    type: VaultType.default("custom").meta({
      description: "Family of the vault. It is ignored if the adapter determines the family.",
    }),
    ...claims,
    vaults: z
      .array(ClaimedVault)
      .min(1)
      .max(MAX_CLAIMS, `must be at most ${MAX_CLAIMS} vaults`)
      .optional()
      .meta({ description: `Up to ${MAX_CLAIMS} vaults, instead of the members for one vault.` }),
    list: z
      .string()
      .regex(
        /^[a-z0-9][a-z0-9._-]{0,60}$/,
        "must be lowercase letters, digits, dots, hyphens and underscores",
      )
      .optional()
      .meta({
        description:
          "Name of the public list that `vaults` come from. Its vaults open only through the admission gate. Default: " +
          "the operator's own claims, which open by their proof.",
        example: "published-vaults",
      }),
    unlisted: z
      .array(VaultIdInput)
      .min(1)
      .max(MAX_CLAIMS, `must be at most ${MAX_CLAIMS} vaults`)
      .optional()
      .meta({
        description:
          `Up to ${MAX_CLAIMS} vaults that the list \`list\` no longer names. Those that depended on it close for deposits. ` +
          "`vaults` may then be absent.",
      }),
    note: AdminNote,
  })
  .superRefine(({ vault_id, vaults, list, unlisted }, context) => {
    if ((vault_id === undefined) === (vaults === undefined && unlisted === undefined))
      context.addIssue({
        code: "custom",
        path: ["vault_id"],
        message: "is required, unless `vaults` or `unlisted` is given",
      });
    if (list !== undefined && vaults === undefined && unlisted === undefined)
      context.addIssue({ code: "custom", path: ["list"], message: "needs `vaults` or `unlisted`" });
    if (list === undefined && unlisted !== undefined)
      context.addIssue({ code: "custom", path: ["unlisted"], message: "needs `list`" });
  })
  .meta({
    id: "NewVaultInput",
    description: "Vaults to add to the registry. Contract addresses are read from on-chain data.",
  });
export type NewVaultInput = z.infer<typeof NewVaultInput>;

/** Result of one claim. */
const ImportedClaimText = z
  .object({
    vault_id: VaultIdText,
    result: z.enum(["added", "known", "refused"]).meta({
      description:
        "`added`: stored as a candidate; `known`: already in the registry, or repeated in the request; `refused`: not stored.",
    }),
    reason: z.string().meta({ description: "Why the claim was refused, or empty.", example: "" }),
  })
  .meta({ id: "ImportedClaim", description: "Result of one claim." });
export type ImportedClaim = z.infer<typeof ImportedClaimText>;

/**
 * Result of a request that adds several vaults: the number of claims by outcome, and the outcome of each claim in the
 * order of the request.
 */
export const ImportReport = z
  .object({
    added: z.int().meta({ description: "Number of vaults stored as candidates.", example: 480 }),
    known: z.int().meta({
      description:
        "Number of claims for vaults that were already in the registry, or repeated in the request.",
      example: 18,
    }),
    refused: z.int().meta({ description: "Number of claims that were not stored.", example: 2 }),
    unlisted: z.int().meta({
      description: "Number of vaults of `unlisted` from which the list's name was removed.",
      example: 0,
    }),
    vaults: z
      .array(ImportedClaimText)
      .meta({ description: "Result of each claim, in the order of the request." }),
  })
  .meta({ id: "ImportReport", description: "Result of adding several vaults in one request." });
export type ImportReport = z.infer<typeof ImportReport>;

/** Status of a vault that an administrator can set. */
const WantedStatus = z.enum(["active", "paused", "unsupported", "candidate"]);

/** Request body for changing a vault in the registry. */
export const VaultChangeInput = z
  .strictObject({
    state: WantedStatus.optional().meta({
      description:
        "New status. `active`: listed and open for deposits; `paused`: listed, but deposits are rejected; `unsupported`: " +
        "not listed, and no longer proven; `candidate`: proven again as if it were new. Default: the present one.",
    }),
    status: WantedStatus.optional().meta({ description: "The same as `state`.", deprecated: true }),
    reason: z.string().trim().max(500).default("").meta({
      description: "Reason for the change. It is public: vaults show it as `paused_reason`.",
      example: "The vault is being migrated",
    }),
    adapter: AdapterName.optional(),
    params: Params.optional(),
    accepted_assets: ClaimedTokens.optional(),
    curator: z.string().trim().max(120).optional().meta({ description: "Curator of the vault." }),
    name: z.string().trim().min(1).max(120).optional().meta({ description: "Display name of the vault." }),
  })
  .superRefine(({ state, status, reason: _reason, ...rest }, context) => {
    if (state !== undefined && status !== undefined && state !== status)
      context.addIssue({ code: "custom", path: ["status"], message: "must be the same as `state`" });
    if ([state, status, ...Object.values(rest)].every((value) => value === undefined))
      context.addIssue({
        code: "custom",
        path: ["state"],
        message: "is required, unless another member changes",
      });
  })
  .meta({
    id: "VaultChangeInput",
    description:
      "A change to a vault in the registry. A change of the adapter, parameters or tokens is checked with on-chain data.",
  });
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
        "Registry status. `candidate`: known, but not opened; `active`: listed and open for deposits; `refused`: its " +
        "proof failed; `paused`: listed, but deposits are rejected; `unsupported`: excluded by an administrator.",
    }),
    status_reason: z.string().meta({
      description: "Reason for the status, or empty if none was given.",
      example: "The vault is being migrated",
    }),
    asset: Asset.meta({ description: "Underlying asset of the vault." }),
    accepted_assets: z.array(Asset).meta({ description: "Tokens that the vault accepts without a swap." }),
    params: z.record(z.string(), z.string()).meta({
      description: "Parameters of the adapter.",
      example: {},
    }),
    was_active: z.boolean().meta({
      description: "Whether the vault's status is or was `active`, so that users may hold its shares.",
      example: false,
    }),
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
      description:
        "Who decided the status: an administrator, or the vault's proof; `proof` also for a candidate that an administrator sent back.",
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
    named_by: z.array(z.string()).meta({
      description: "Registers (`register:<address>`) and public lists (`list:<name>`) that name the vault.",
      example: ["list:published-vaults"],
    }),
    claim: z
      .object({
        adapter: z.string().meta({ description: "Claimed adapter.", example: "erc4626" }),
        asset: AddressText.nullable().meta({ description: "Claimed asset, or `null` if none was claimed." }),
        share_token: AddressText.nullable().meta({
          description: "Claimed share token, or `null` if none was claimed.",
        }),
      })
      .nullable()
      .meta({ description: "Properties that the source of the entry claims, or `null` for older entries." }),
    proof: VaultProofText.nullable().meta({
      description: "Last check of the entry with a result, or `null` before the first.",
    }),
    proof_due_at: TimeText.meta({ description: "Time of the next proof." }),
    created_at: TimeText.meta({ description: "Time at which the vault was added to the registry." }),
    updated_at: TimeText.meta({ description: "Time of the last change to this entry." }),
  })
  .meta({
    id: "VaultRecord",
    description:
      "A vault's entry in the registry. Its tokens and addresses are placeholders until its contracts were read.",
  });
export type VaultRecord = z.infer<typeof VaultRecord>;
