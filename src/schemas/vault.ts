import { z } from "@hono/zod-openapi";
import { AddressText, AmountText, ChainIdNumber, TimeText, VaultIdText } from "./primitives.ts";

/** The public family labels; `adapter` in the registry is finer. */
export const vaultTypes = ["custom", "morpho", "veda", "midas", "lido", "ipor", "accountable"] as const;
export const VaultType = z.enum(vaultTypes);
export type VaultType = z.infer<typeof VaultType>;

export const Asset = z
  .object({ address: AddressText, symbol: z.string(), decimals: z.int() })
  .openapi("Asset");
export type Asset = z.infer<typeof Asset>;

export const VaultSummary = z
  .object({
    vault_id: VaultIdText,
    name: z.string(),
    address: AddressText,
    chain_id: ChainIdNumber,
    chain_name: z.string(),
    asset: Asset,
    accepted_assets: z.array(Asset).openapi({ description: "Every token the vault takes without a swap" }),
    deposit_router: AddressText.openapi({ description: "The contract that the deposit transaction calls" }),
    type: VaultType,
    min_deposit: AmountText.nullable().openapi({
      description: "Smallest unit of the asset; null: not known",
    }),
    no_minimum: z.boolean(),
    curator: z.string(),
    paused: z.boolean(),
    paused_reason: z.string(),
    external_router: z.boolean().openapi({ description: "Deposits go to the vault's own entry point" }),
  })
  .openapi("Vault");
export type VaultSummary = z.infer<typeof VaultSummary>;

const apy = (span: string) =>
  z
    .number()
    .nullable()
    .openapi({ description: `Yearly fraction that the share price realised over ${span}; null: not known` });
const yields = { apy_1d: apy("one day"), apy_7d: apy("seven days"), apy_30d: apy("thirty days") };

/** A vault as lists show it. */
export const ListedVault = VaultSummary.extend(yields).openapi("ListedVault");
export type ListedVault = z.infer<typeof ListedVault>;

export const VaultDetail = VaultSummary.extend({
  ...yields,
  total_assets: AmountText.nullable(),
  total_supply: AmountText.nullable(),
  share_price: AmountText.nullable().openapi({ description: "Whole assets per whole share, times 10^18" }),
  share_token: AddressText,
  share_decimals: z.int(),
  max_deposit: AmountText.nullable(),
  read_at: z.object({ block_number: z.int(), block_timestamp: TimeText }).nullable(),
  stale: z.boolean(),
}).openapi("VaultDetail");
export type VaultDetail = z.infer<typeof VaultDetail>;
