import * as z from "zod";
import {
  AddressText,
  AmountText,
  ChainIdNumber,
  TimeText,
  UsdText,
  VaultIdText,
} from "./primitive-schemas.ts";

/** Vault families as the API shows them. The registry's `adapter` is more specific. */
export const vaultTypes = ["custom", "morpho", "veda", "midas", "lido", "ipor", "accountable"] as const;

/** Names of all vault families, more specific than the types. The registry stores them as `adapter`. */
export const vaultFamilies = [
  "veda",
  "midas",
  "mellow",
  "upshift",
  "lagoon",
  "centrifuge",
  "metamorpho",
  "morpho_v2",
  "ipor",
  "accountable",
  "mellow_lrt",
  "upshift_legacy",
  "euler",
  "yearn_v3",
  "aave_stata",
  "spark",
  "gearbox",
  "fluid",
  "silo",
  "euler_earn",
  "erc4626",
] as const;

/** Family of a vault as the API shows it. */
export const VaultType = z.enum(vaultTypes).meta({ description: "Family of the vault.", example: "morpho" });
export type VaultType = z.infer<typeof VaultType>;

/** A token that a vault accepts, with its symbol and decimals. */
export const Asset = z
  .object({
    address: AddressText.meta({
      description: "Address of the token, checksummed; the zero address for the chain's native currency.",
    }),
    symbol: z.string().meta({ description: "Symbol of the token.", example: "USDC" }),
    decimals: z.int().meta({ description: "Decimals of the token.", example: 6 }),
  })
  .meta({ id: "Asset", description: "A token that a vault accepts." });
export type Asset = z.infer<typeof Asset>;

/** The last check of a vault's registry entry with a result: a simulated deposit, or the reason why none was made. */
export const VaultProofText = z
  .object({
    ok: z.boolean().meta({
      description: "Whether the check passed.",
      example: true,
    }),
    block_number: z.int().nullable().meta({
      description:
        "Block on whose state the deposit was simulated or, if it reverted or was not simulated, at which the vault was read; `null` if the check ended before.",
      example: 23_456_789,
    }),
    at: TimeText.meta({ description: "Time of the check." }),
    amount: AmountText.nullable().meta({
      description:
        "Deposit that was or would have been simulated, in the smallest unit of the deposited token, or `null` if the check ended before.",
    }),
    shares: AmountText.nullable().meta({
      description:
        "Shares minted by the simulation in the share token's smallest unit, or `null` if none were minted at once.",
    }),
    reason: z.string().meta({
      description: "Why the check failed, or empty if it passed.",
      example: "the vault's contract is paused",
    }),
  })
  .meta({
    id: "VaultProof",
    description: "The last check of a vault's registry entry: a simulated deposit, or why there was none.",
  });

/** How a vault settles deposits and withdrawals. */
export const VaultSettlement = z
  .object({
    deposit: z.enum(["instant", "request"]).meta({
      description:
        "`instant`: the deposit mints shares in the same transaction; `request`: the vault may settle it later, and shares " +
        "may have to be claimed.",
      example: "instant",
    }),
    withdraw: z.enum(["instant", "request", "cooldown"]).meta({
      description:
        "`instant`: paid in the same transaction while the vault has liquidity; `request`: paid when the vault settles, or " +
        "withdrawals are not supported here; `cooldown`: paid after a waiting time that the holder starts. Some vaults of the " +
        "last two can also pay instantly.",
      example: "instant",
    }),
    withdraw_seconds: z.int().nullable().meta({
      description: "Waiting time until a withdrawal is paid, in seconds, or `null` if it is unknown or none.",
      example: null,
    }),
  })
  .meta({ id: "Settlement", description: "How a vault settles deposits and withdrawals." });
export type VaultSettlement = z.infer<typeof VaultSettlement>;

/**
 * A vault by its registry entry. Its pause, minimum deposit, accepted assets and deposit contract also depend on what
 * was last read from the chain.
 */
export const VaultSummary = z
  .object({
    vault_id: VaultIdText,
    name: z.string().meta({ description: "Display name of the vault.", example: "Steakhouse USDC" }),
    address: AddressText.meta({
      description: "Address of the vault contract, checksummed.",
      example: "0xbeeF010f9cb27031ad51e3333f9aF9C6B1228183",
    }),
    chain_id: ChainIdNumber.meta({ description: "EIP-155 id of the vault's chain." }),
    chain_name: z.string().meta({ description: "Display name of the vault's chain.", example: "Base" }),
    asset: Asset.meta({ description: "Underlying asset: the token in which the vault's value is measured." }),
    accepted_assets: z.array(Asset).meta({
      description: "Tokens that the vault accepts without a swap, including the underlying asset.",
    }),
    deposit_router: AddressText.meta({
      description:
        "Contract that the deposit transaction calls: the chain's DepositRouter, or the vault's own entry point when " +
        "`external_router` is true.",
      example: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
    }),
    type: VaultType,
    min_deposit: AmountText.nullable().meta({
      description:
        "Smallest deposit that the vault accepts, in the asset's smallest unit; `0` if there is no minimum, `null` if unknown.",
    }),
    no_minimum: z.boolean().meta({
      description: "Whether the vault is known to have no minimum deposit.",
      example: false,
    }),
    curator: z.string().meta({
      description: "Curator of the vault, or empty if unknown.",
      example: "Steakhouse Financial",
    }),
    proof: VaultProofText.nullable().meta({
      description:
        "Last check of the vault's registry entry, usually by a simulated deposit; `null` before the first.",
    }),
    paused: z.boolean().meta({
      description: "Whether deposits are paused, by this service or by the vault's contract.",
      example: false,
    }),
    paused_reason: z.string().meta({
      description: "Reason for the pause, or empty if the vault is not paused or no reason was given.",
      example: "",
    }),
    external_router: z.boolean().meta({
      description:
        "Whether deposits call the vault's own entry point instead of the DepositRouter; `true` also while this is not " +
        "known, because the chain could not be read.",
      example: false,
    }),
    family: z.string().meta({
      description: "Protocol and interface of the vault, more specific than `type`.",
      example: "metamorpho",
    }),
    settlement: VaultSettlement.meta({ description: "How the vault settles deposits and withdrawals." }),
  })
  .meta({ id: "Vault", description: "A vault that users can deposit into." });
export type VaultSummary = z.infer<typeof VaultSummary>;

/** Returns the schema of a yield over a time span, for example "the last day". */
const apy = (span: string, example: number) =>
  z
    .number()
    .nullable()
    .meta({
      description: `Annualized growth of the share price over ${span}, as a fraction, or \`null\` if it is unknown.`,
      example,
    });
/** Fields with a vault's yields over one, seven and thirty days. */
const yields = {
  apy_1d: apy("the last day", 0.0512),
  apy_7d: apy("the last seven days", 0.0498),
  apy_30d: apy("the last thirty days", 0.0503),
};

/** Field for the value of a vault's net assets. */
const valued = {
  tvl_usd: UsdText.nullable().meta({
    description: "Value of the vault's net assets in US dollars, or `null` if assets or price are unknown.",
    example: "125000000.00",
  }),
};

/** Fields of lists and single vaults: links of the vault, open incidents, and figures. */
const shown = {
  share_price: AmountText.nullable().meta({
    description:
      "Share price: assets per share, both in whole tokens, scaled by 10^18, or `null` if it is unknown.",
    example: "1059322033898305084",
  }),
  max_deposit: AmountText.nullable().meta({
    description:
      "Largest deposit that the vault accepts, in the asset's smallest unit, or `null` if it is unknown. A hint: the " +
      "simulation of a build decides.",
    example: "250000000000",
  }),
  exit_fee: z
    .number()
    .nullable()
    .meta({
      description:
        "Fee of an immediate withdrawal, as a fraction of the assets, or `null` if it is unknown or the vault pays no " +
        "withdrawal immediately.",
      example: 0.001,
    }),
  curator_url: z.string().meta({
    description: "Website of the curator, or empty if unknown.",
    example: "https://www.steakhouse.financial",
  }),
  explorer_link: z.string().meta({
    description:
      "Page of the vault's contract on the chain's block explorer, or empty if the chain has none.",
    example: "https://basescan.org/address/0xbeeF010f9cb27031ad51e3333f9aF9C6B1228183",
  }),
  logo_uri: z.string().meta({ description: "Logo of the vault, or empty if unknown.", example: "" }),
  signals: z
    .object({
      high: z.int().meta({ description: "Number of open incidents of tier `high`.", example: 0 }),
      medium: z.int().meta({ description: "Number of open incidents of tier `medium`.", example: 1 }),
    })
    .meta({ description: "Incidents of the vault that were seen within the last day." }),
  read_at: z
    .object({
      block_number: z.int().meta({ description: "Number of the block.", example: 41250000 }),
      block_timestamp: TimeText.meta({ description: "Timestamp of the block." }),
    })
    .nullable()
    .meta({ description: "Block at which the figures were read, or `null` if they were never read." }),
  stale: z.boolean().meta({
    description:
      "Whether the figures are the last known ones, because the chain could not be read now; in lists, whether they are " +
      "more than about ten minutes old.",
    example: false,
  }),
};

/** A vault in a list, with its yields, its value in US dollars and its last known on-chain values. */
export const ListedVault = VaultSummary.extend({ ...yields, ...valued, ...shown }).meta({
  id: "ListedVault",
  description: "A vault with its past yields and its figures of the last minutes.",
});
export type ListedVault = z.infer<typeof ListedVault>;

/** A vault with its yields and its on-chain values: totals, share price and deposit limit. */
export const VaultDetail = VaultSummary.extend({
  ...yields,
  ...valued,
  ...shown,
  total_assets: AmountText.nullable().meta({
    description: "Net assets of the vault, in the asset's smallest unit, or `null` if they are unknown.",
    example: "125000000000000",
  }),
  total_supply: AmountText.nullable().meta({
    description: "Total supply of shares, in the share token's smallest unit, or `null` if it is unknown.",
    example: "118000000000000000000000000",
  }),
  share_token: AddressText.meta({
    description: "Address of the share token, checksummed.",
    example: "0xbeeF010f9cb27031ad51e3333f9aF9C6B1228183",
  }),
  share_decimals: z.int().meta({ description: "Decimals of the share token.", example: 18 }),
}).meta({ id: "VaultDetail", description: "A vault with its totals, share price and limits." });
export type VaultDetail = z.infer<typeof VaultDetail>;
