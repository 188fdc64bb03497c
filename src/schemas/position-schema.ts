import * as z from "zod";
import { NextStep, NextStepRefusal } from "./deposit-schema.ts";
import { AddressText, AmountText, ChainIdNumber, TimeText, VaultIdText } from "./primitive-schemas.ts";
import { VaultType } from "./vault-schema.ts";

/** A user's holding in one vault. */
export const Position = z
  .object({
    vault_id: VaultIdText,
    vault_name: z.string().meta({ description: "Display name of the vault.", example: "Steakhouse USDC" }),
    vault_address: AddressText.meta({
      description: "Address of the vault contract, checksummed.",
      example: "0xbeeF010f9cb27031ad51e3333f9aF9C6B1228183",
    }),
    chain_id: ChainIdNumber.meta({ description: "EIP-155 id of the vault's chain." }),
    asset_symbol: z.string().meta({ description: "Symbol of the underlying asset.", example: "USDC" }),
    asset_address: AddressText.meta({ description: "Address of the underlying asset, checksummed." }),
    asset_decimals: z.int().meta({ description: "Decimals of the underlying asset.", example: 6 }),
    share_balance: AmountText.meta({
      description: "The user's `balanceOf` of the share token, in its smallest unit.",
      example: "950000000000000000",
    }),
    share_decimals: z.int().meta({ description: "Decimals of the share token.", example: 18 }),
    vault_type: VaultType,
    current_assets: AmountText.nullable().meta({
      description:
        "Current value of the shares, in the asset's smallest unit; `null` when the vault could not convert them.",
    }),
    deposited_assets: z
      .string()
      .nullable()
      .meta({
        description:
          "Deposits minus withdrawals to date, in the asset's smallest unit; `null` when none is recorded or the history " +
          "is not indexed from its start to the head of the chain.",
        example: "990000",
      }),
    yield_assets: z
      .string()
      .nullable()
      .meta({
        description:
          "Yield to date: `current_assets` minus `deposited_assets`, in the asset's smallest unit. Negative for a loss; " +
          "`null` when either is.",
        example: "10000",
      }),
  })
  .meta({ id: "Position", description: "A user's holding in one vault, in units of the vault's asset." });
export type Position = z.infer<typeof Position>;

/** How far one chain was read for a user's positions. */
export const ChainCoverage = z
  .object({
    chain_id: ChainIdNumber,
    ok: z.boolean().meta({
      description: "Whether the chain could be read; its vaults are missing from the answer otherwise.",
      example: true,
    }),
    block_number: z.int().nullable().meta({
      description: "Block at which the whole chain was read; `null` when it could not be read.",
      example: 41250000,
    }),
    block_timestamp: TimeText.nullable().meta({ description: "Time of that block; `null` when unknown." }),
    indexed_from: z.int().nullable().meta({
      description: "First block from which deposits and withdrawals are indexed; `null` when none are.",
      example: 12300000,
    }),
    indexed_to: z.int().nullable().meta({
      description: "Last block up to which deposits and withdrawals are indexed; `null` when none are.",
      example: 41249990,
    }),
    unread: z.array(VaultIdText).meta({ description: "Vaults whose share balance could not be read." }),
  })
  .meta({ id: "ChainCoverage", description: "How far one chain was read for a user's positions." });
export type ChainCoverage = z.infer<typeof ChainCoverage>;

/** Everything that a user holds in known vaults. */
export const Positions = z
  .object({
    user_address: AddressText.meta({
      description: "Wallet whose positions these are, checksummed.",
      example: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    }),
    positions: z
      .array(Position)
      .meta({ description: "One position for each vault whose shares the user holds." }),
    pending: z
      .array(
        z.object({
          vault_id: VaultIdText,
          pending_assets: AmountText.nullable().meta({
            description:
              "Assets waiting for the vault to settle the request, in the asset's smallest unit; `null` when unknown.",
          }),
          claimable_shares: AmountText.nullable().meta({
            description:
              "Shares that can be claimed now, in the share token's smallest unit; `null` when unknown.",
          }),
          next: NextStep.nullable().meta({
            description: "Claim that the user can sign now; `null` when there is none.",
          }),
          next_refusal: NextStepRefusal.nullable().meta({
            description:
              "Reason why the shares cannot be claimed now; `null` when nothing stands in the way.",
          }),
        }),
      )
      .meta({ description: "Deposit requests to asynchronous vaults that have not become shares yet." }),
    chains: z.array(ChainCoverage).meta({ description: "How far each chain was read." }),
  })
  .meta({ id: "Positions", description: "Everything that a user holds in known vaults." });
export type Positions = z.infer<typeof Positions>;
