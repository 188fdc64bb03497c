import * as z from "zod";
import {
  AddressText,
  AmountText,
  ChainIdNumber,
  HashText,
  TimeText,
  TrackingIdText,
  VaultIdText,
} from "./primitive-schemas.ts";
import { Approval, TransactionRequest, WalletCall } from "./transaction-schema.ts";

/** The states of a deposit. */
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
/** The state of a deposit. */
export const DepositState = z.enum(depositStates).meta({ description: "State of the deposit." });
export type DepositState = z.infer<typeof DepositState>;

/** The statuses of a transfer. */
export const transferStatuses = ["NOT_FOUND", "INVALID", "PENDING", "DONE", "FAILED"] as const;
export type TransferStatusName = (typeof transferStatuses)[number];

/** What the user signs next: the second step of a two-step deposit, or the claim of an async vault. */
export const NextStep = z
  .object({
    kind: z.enum(["deposit", "claim"]).meta({
      description:
        "Kind of step. `deposit`: second step of a deposit; `claim`: claim of an asynchronous vault's shares.",
    }),
    transaction_request: TransactionRequest.meta({ description: "Transaction to sign and send." }),
    approval: Approval.nullable().meta({
      description: "Approval to send before the transaction; `null` when none is needed.",
    }),
    calls: z.array(WalletCall).meta({
      description: "The approvals, allowance resets and transaction as a call list for EIP-5792 wallets.",
    }),
  })
  .meta({ id: "NextStep", description: "A step that the user can sign now." });
export type NextStep = z.infer<typeof NextStep>;

/** Why nothing can be signed next although a step is left: a code of the error table, or what the account lacks. */
export const NextStepRefusal = z
  .object({
    code: z.string().meta({ description: "Stable code of the reason.", example: "would_revert" }),
    detail: z.string().meta({
      description: "Explanation for people.",
      example: "the vault has paused deposits",
    }),
  })
  .meta({ id: "NextStepRefusal", description: "The reason why a remaining step cannot be signed now." });
export type NextStepRefusal = z.infer<typeof NextStepRefusal>;

const TransferSide = z
  .object({
    tx_hash: HashText.nullable().meta({ description: "Hash of the transaction; `null` when unknown." }),
    tx_link: z.string().nullable().meta({
      description: "URL of the transaction in the chain's block explorer; `null` when there is none.",
      example: "https://basescan.org/tx/0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060",
    }),
    amount: AmountText.nullable().meta({
      description: "Amount transferred, in the token's smallest unit; `null` when unknown.",
    }),
    chain_id: ChainIdNumber.nullable().meta({
      description: "EIP-155 id of the transaction's chain; `null` when unknown.",
    }),
  })
  .meta({ id: "TransferSide", description: "One side of a transfer." });

const Substatus = z.string().nullable().meta({
  description:
    "What the transfer waits for, how it ended or why it failed; `null` when there is nothing to add.",
  example: "WAIT_DESTINATION_TRANSACTION",
});

const NextRefusal = NextStepRefusal.nullable().meta({
  description: "Reason why a remaining step cannot be signed now; `null` when nothing stands in the way.",
});

/** Where the money of a transaction is. */
export const TransferStatus = z
  .object({
    status: z.enum(transferStatuses).meta({
      description:
        "Status of the transfer. `NOT_FOUND`: not seen so far; `INVALID`: the receipt shows neither a deposit nor a " +
        "transfer; `PENDING`: on its way; `DONE` and `FAILED`: final, on chain evidence.",
    }),
    substatus: Substatus,
    sending: TransferSide.nullable().meta({ description: "What the user sent; `null` when unknown." }),
    receiving: TransferSide.nullable().meta({
      description: "What arrived on the vault's chain; `null` when nothing has been seen.",
    }),
    bridge: z.string().nullable().meta({
      description: "Key of the bridge (`GET /v1/bridges`); `null` when none is used or it is unknown.",
      example: "across",
    }),
    router_explorer: z.string().nullable().meta({
      description: "URL of the bridge's page for the transfer; `null` when there is none.",
      example: "https://scan.li.fi/tx/0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060",
    }),
    deposit: z
      .object({
        tracking_id: TrackingIdText,
        state: DepositState,
        shares: AmountText.nullable().meta({
          description: "Shares minted to the user, in the share token's smallest unit; `null` when unknown.",
          example: "950000000000000000",
        }),
        next: NextStep.nullable().meta({
          description: "Step that the user can sign now; `null` when there is none.",
        }),
        next_refusal: NextRefusal,
      })
      .nullable()
      .meta({ description: "Tracked deposit that the transaction belongs to; `null` when there is none." }),
  })
  .meta({ id: "TransferStatus", description: "Where the money of a transaction is." });
export type TransferStatus = z.infer<typeof TransferStatus>;

/** A tracked deposit. */
export const Deposit = z
  .object({
    tracking_id: TrackingIdText,
    state: DepositState,
    status: z.enum(transferStatuses).meta({ description: "Transfer status that the state stands for." }),
    substatus: Substatus,
    user_address: AddressText.meta({
      description: "Wallet that pays and receives the shares, checksummed.",
      example: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    }),
    vault_id: VaultIdText,
    from_chain_id: ChainIdNumber.meta({ description: "EIP-155 id of the chain that the user pays on." }),
    to_chain_id: ChainIdNumber.meta({ description: "EIP-155 id of the vault's chain." }),
    from_token: AddressText.meta({
      description: "Token that the user pays with, checksummed; the zero address for the native token.",
    }),
    from_amount: AmountText.meta({ description: "Amount to pay, in the smallest unit of `from_token`." }),
    estimated_shares: AmountText.meta({
      description: "Shares expected when the deposit was built, in the share token's smallest unit.",
      example: "950000000000000000",
    }),
    min_shares: AmountText.nullable().meta({
      description:
        "Least shares minted, in the share token's smallest unit; `null` when nothing on chain enforces a minimum.",
      example: "921500000000000000",
    }),
    shares: AmountText.nullable().meta({
      description: "Shares minted to the user, in the share token's smallest unit; `null` when unknown.",
      example: "950000000000000000",
    }),
    bridge: z.string().nullable().meta({
      description: "Key of the bridge (`GET /v1/bridges`); `null` when none is used.",
      example: "across",
    }),
    router_explorer: z.string().nullable().meta({
      description: "URL of the bridge's page for the transfer; `null` when there is none.",
      example: "https://scan.li.fi/tx/0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060",
    }),
    two_step: z.boolean().meta({
      description:
        "Whether the user signs a second transaction on the vault's chain once the funds have arrived.",
      example: false,
    }),
    source_tx_hash: HashText.nullable().meta({
      description:
        "Hash of the user's transaction on the source chain; `null` when none was seen or reported.",
    }),
    destination_tx_hash: HashText.nullable().meta({
      description: "Hash of the transaction whose receipt shows the delivery; `null` when none was seen.",
    }),
    delivered_amount: AmountText.nullable().meta({
      description:
        "Amount that the user received instead of shares, in the smallest unit of the token that arrived; `null` when none " +
        "was seen.",
    }),
    refund_tx_hash: HashText.nullable().meta({
      description: "Hash of the transaction that paid the user back; `null` when none was seen.",
    }),
    deposit_tx_hash: HashText.nullable().meta({
      description:
        "Hash of the second step, signed by the user on the vault's chain; `null` when none was seen or reported.",
    }),
    claim_tx_hash: HashText.nullable().meta({
      description:
        "Hash of the transaction that claimed an asynchronous vault's shares; `null` when none was seen or reported.",
    }),
    parent_tracking_id: TrackingIdText.nullable().meta({
      description: "Tracking id of the earlier deposit that this one belongs to; `null` when there is none.",
    }),
    created_at: TimeText.meta({ description: "Time at which the deposit was built." }),
    updated_at: TimeText.meta({ description: "Time of the last change of the deposit." }),
    expires_at: TimeText.meta({ description: "Time until which the quote was valid." }),
    history: z
      .array(
        z.object({
          state: DepositState.meta({ description: "State that was reached." }),
          at: TimeText.meta({ description: "Time at which it was reached." }),
        }),
      )
      .meta({ description: "States so far, oldest first." }),
    next: NextStep.nullable().meta({
      description: "Step that the user can sign now; `null` when there is none, and always in lists.",
    }),
    next_refusal: NextRefusal,
  })
  .meta({ id: "Deposit", description: "A tracked deposit." });
export type Deposit = z.infer<typeof Deposit>;
