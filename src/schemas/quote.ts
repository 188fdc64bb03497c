import { z } from "@hono/zod-openapi";
import { zeroAddress } from "viem";
import {
  AddressInput,
  AddressText,
  AmountInput,
  AmountText,
  ChainIdInput,
  ChainIdNumber,
  TimeText,
  TrackingIdInput,
  VaultIdInput,
} from "./primitives.ts";
import { Approval, TransactionRequest, WalletCall } from "./transaction.ts";
import { VaultSummary } from "./vault.ts";

/** The bridges a caller may prefer: those whose calldata we decode. */
export const bridgeKeys = ["across", "stargate", "stargate_bus", "cctp", "cctp_fast"] as const;

/** Body of quote and build. Unknown members are ignored. */
export const BuildInput = z
  .object({
    from_chain_id: ChainIdInput,
    from_token: AddressInput,
    from_amount: AmountInput,
    vault_id: VaultIdInput,
    user_address: AddressInput.refine((address) => address !== zeroAddress, "must not be the zero address"),
    slippage: z.number().gt(0).max(0.5).default(0.03),
    referrer: AddressInput.default(zeroAddress),
    referrer_handle: z.string().max(64).default(""),
    parent_tracking_id: TrackingIdInput.optional(),
    preferred_bridge: z.enum(bridgeKeys).optional(),
    partner_id: z.string().max(64).default(""),
    partner_type: z.int().min(0).max(2).default(0),
  })
  .openapi("BuildInput");
export type BuildInput = z.infer<typeof BuildInput>;

export const BuildEstimate = z
  .object({
    to_amount: AmountText,
    to_amount_min: AmountText,
    deposit_amount: AmountText,
    estimated_shares: AmountText,
    min_shares: AmountText.nullable().openapi({ description: "null: nothing on chain enforces one" }),
  })
  .openapi("BuildEstimate");
export type BuildEstimate = z.infer<typeof BuildEstimate>;

const SimulationLeg = z.object({
  block_number: z.int(),
  gas_used: AmountText,
  shares: AmountText.nullable(),
});

export const SimulationSummary = SimulationLeg.extend({
  balance_sufficient: z.boolean(),
  allowance_sufficient: z.boolean(),
  destination: SimulationLeg.nullable(),
}).openapi("Simulation");

export const Tracking = z
  .object({
    from_chain_id: ChainIdNumber,
    to_chain_id: ChainIdNumber,
    bridge: z.string().nullable(),
    router_explorer: z.string().nullable(),
  })
  .openapi("Tracking");

export const BuiltDeposit = z
  .object({
    transaction_request: TransactionRequest,
    tracking: Tracking,
    approval: Approval.nullable(),
    tracking_id: z.string(),
    two_step: z.boolean().default(false),
    deposit_tx: z
      .object({ transaction_request: TransactionRequest, approval: Approval.nullable() })
      .nullable(),
    estimate: BuildEstimate,
    expires_at: TimeText,
    simulation: SimulationSummary,
    calls: z.array(WalletCall),
  })
  .openapi("BuiltDeposit");
export type BuiltDeposit = z.infer<typeof BuiltDeposit>;

export const quoteTypes = ["direct", "same_chain_swap", "cross_chain"] as const;

export const RouteOption = z
  .object({
    bridge: z.string().nullable(),
    bridge_name: z.string().nullable(),
    bridge_logo: z.string().nullable(),
    to_amount: AmountText,
    to_amount_min: AmountText,
    deposit_amount: AmountText,
    estimated_time: z.int().nullable().openapi({ description: "Seconds" }),
    gas_cost_usd: z.string().nullable(),
    tags: z.array(z.string()),
  })
  .openapi("RouteOption");

export const Quote = z
  .object({
    quote_type: z.enum(quoteTypes),
    vault: VaultSummary,
    estimate: z.object({
      from_amount: AmountText,
      from_amount_usd: z.string().nullable(),
      to_amount: AmountText,
      to_amount_min: AmountText,
      deposit_amount: AmountText,
      estimated_shares: AmountText,
      min_shares: AmountText.nullable(),
      price_impact: z.string().nullable(),
      estimated_time: z.int().nullable(),
      gas_cost_usd: z.string().nullable(),
      steps: z.array(
        z.object({ type: z.string(), chain_id: ChainIdNumber, tool: z.string(), to: AddressText }),
      ),
    }),
    approval: Approval.nullable(),
    route_options: z.array(RouteOption),
    reasons: z.array(z.object({ code: z.string(), detail: z.string() })),
  })
  .openapi("Quote");
export type Quote = z.infer<typeof Quote>;
