import { z } from "@hono/zod-openapi";
import { AddressText, AmountText, ChainIdNumber, HexText, TimeText, VaultIdText } from "./primitives.ts";
import { Approval, TransactionRequest, WalletCall } from "./transaction.ts";

export const depositStates = [
  "built",
  "expired",
  "abandoned",
  "submitted",
  "bridging",
  "awaiting_deposit",
  "requested",
  "claimable",
  "completed",
  "partial",
  "refunded",
  "failed",
] as const;
export const DepositState = z.enum(depositStates);
export type DepositState = z.infer<typeof DepositState>;

export const transferStatuses = ["NOT_FOUND", "INVALID", "PENDING", "DONE", "FAILED"] as const;
export type TransferStatusName = (typeof transferStatuses)[number];

/** What the user signs next: the second step of a two-step deposit, or the claim of an async vault. */
export const NextStep = z
  .object({
    kind: z.enum(["deposit", "claim"]),
    transaction_request: TransactionRequest,
    approval: Approval.nullable(),
    calls: z.array(WalletCall),
  })
  .openapi("NextStep");
export type NextStep = z.infer<typeof NextStep>;

/** Why nothing can be signed next although a step is left: a code of the error table, or what the account lacks. */
export const NextStepRefusal = z.object({ code: z.string(), detail: z.string() }).openapi("NextStepRefusal");
export type NextStepRefusal = z.infer<typeof NextStepRefusal>;

const TransferSide = z
  .object({
    tx_hash: HexText.nullable(),
    tx_link: z.string().nullable(),
    amount: AmountText.nullable(),
    chain_id: ChainIdNumber.nullable(),
  })
  .openapi("TransferSide");

export const TransferStatus = z
  .object({
    status: z.enum(transferStatuses),
    substatus: z.string().nullable(),
    sending: TransferSide.nullable(),
    receiving: TransferSide.nullable(),
    bridge: z.string().nullable(),
    router_explorer: z.string().nullable(),
    deposit: z
      .object({
        tracking_id: z.string(),
        state: DepositState,
        shares: AmountText.nullable(),
        next: NextStep.nullable(),
        next_refusal: NextStepRefusal.nullable(),
      })
      .nullable(),
  })
  .openapi("TransferStatus");
export type TransferStatus = z.infer<typeof TransferStatus>;

export const Deposit = z
  .object({
    tracking_id: z.string(),
    state: DepositState,
    status: z.enum(transferStatuses),
    substatus: z.string().nullable(),
    user_address: AddressText,
    vault_id: VaultIdText,
    from_chain_id: ChainIdNumber,
    to_chain_id: ChainIdNumber,
    from_token: AddressText,
    from_amount: AmountText,
    estimated_shares: AmountText,
    min_shares: AmountText.nullable(),
    shares: AmountText.nullable(),
    bridge: z.string().nullable(),
    router_explorer: z.string().nullable(),
    two_step: z.boolean(),
    source_tx_hash: HexText.nullable(),
    destination_tx_hash: HexText.nullable().openapi({ description: "What delivered, by its own receipt" }),
    delivered_amount: AmountText.nullable().openapi({
      description: "What the user received instead of shares, by that receipt",
    }),
    refund_tx_hash: HexText.nullable(),
    deposit_tx_hash: HexText.nullable(),
    claim_tx_hash: HexText.nullable(),
    parent_tracking_id: z.string().nullable(),
    created_at: TimeText,
    updated_at: TimeText,
    expires_at: TimeText,
    history: z.array(z.object({ state: DepositState, at: TimeText })),
    next: NextStep.nullable().openapi({ description: "Always null in lists" }),
    next_refusal: NextStepRefusal.nullable(),
  })
  .openapi("Deposit");
export type Deposit = z.infer<typeof Deposit>;
