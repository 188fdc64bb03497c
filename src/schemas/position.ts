import { z } from "@hono/zod-openapi";
import { NextStep, NextStepRefusal } from "./deposit.ts";
import { AddressText, AmountText, ChainIdNumber, TimeText, VaultIdText } from "./primitives.ts";
import { VaultType } from "./vault.ts";

export const Position = z
  .object({
    vault_id: VaultIdText,
    vault_name: z.string(),
    vault_address: AddressText,
    chain_id: ChainIdNumber,
    asset_symbol: z.string(),
    asset_address: AddressText,
    asset_decimals: z.int(),
    share_balance: AmountText,
    share_decimals: z.int(),
    vault_type: VaultType,
    current_assets: AmountText.nullable(),
    deposited_assets: z.string().nullable(),
    yield_assets: z.string().nullable().openapi({ description: "May be negative" }),
  })
  .openapi("Position");
export type Position = z.infer<typeof Position>;

export const ChainCoverage = z
  .object({
    chain_id: ChainIdNumber,
    ok: z.boolean(),
    block_number: z.int().nullable(),
    block_timestamp: TimeText.nullable(),
    indexed_from: z.int().nullable(),
    indexed_to: z.int().nullable(),
    unread: z.array(VaultIdText).openapi({ description: "Vaults whose share balance could not be read" }),
  })
  .openapi("ChainCoverage");
export type ChainCoverage = z.infer<typeof ChainCoverage>;

export const Positions = z
  .object({
    user_address: AddressText,
    positions: z.array(Position),
    pending: z.array(
      z.object({
        vault_id: VaultIdText,
        pending_assets: AmountText.nullable(),
        claimable_shares: AmountText.nullable(),
        next: NextStep.nullable(),
        next_refusal: NextStepRefusal.nullable(),
      }),
    ),
    chains: z.array(ChainCoverage),
  })
  .openapi("Positions");
export type Positions = z.infer<typeof Positions>;
