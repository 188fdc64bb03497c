import * as z from "zod";
import {
  AddressText,
  AmountText,
  ChainIdNumber,
  HashText,
  NullableTrackingId,
  TimeText,
  TrackingIdText,
  VaultIdText,
} from "./primitive-schemas.ts";
import {
  NextStepRefusal,
  PollAfter,
  SameAs,
  Steps,
  SubstatusText,
  TokenRef,
  transferStatuses,
  Warnings,
} from "./step-schema.ts";
import { Approval, TransactionRequest, WalletCall } from "./transaction-schema.ts";
import { WithdrawalOfStatus } from "./withdrawal-schema.ts";

/** States of a tracked deposit. */
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
/** Schema of the state of a tracked deposit. Its description, which the OpenAPI document shows, explains each state. */
export const DepositState = z.enum(depositStates).meta({
  description:
    "State of a deposit. No transaction seen yet: `built`; `expired`: the quote's time is over; `abandoned`: hidden by the user. In progress: `submitted`: the source transaction is unconfirmed; `bridging`: it succeeded, and its tokens are being swapped or bridged; `awaiting_deposit`: the token arrived, and the user must deposit it; `requested`: the vault has yet to settle the request; `claimable`: it has, and the user can claim the shares or, after a cancellation, the assets. Final: `completed`: shares arrived; `partial`: the token arrived instead of shares, or the vault paid back a part of the request (`refund_tx_hash`) and gave shares for the rest; `refunded`: by the bridge or the vault. `failed`: the source transaction reverted, and may be sent again, or the vault rejected the request or gave no shares for it (`shares` is then 0).",
});
export type DepositState = z.infer<typeof DepositState>;

/**
 * The transaction that the user signs next: the deposit of a delivered token (also one delivered instead of shares), or
 * the claim of shares, or of the assets of a cancelled request, from an asynchronous vault.
 */
export const NextStep = z
  .object({
    kind: z.enum(["deposit", "claim"]).meta({
      description:
        "Kind of step. `deposit`: the second step of a deposit; `claim`: the claim of shares, or of a cancelled request's assets, from an asynchronous vault.",
    }),
    transaction_request: TransactionRequest.meta({ description: "Transaction to sign and send." }),
    approval: Approval.nullable().meta({
      description:
        "Approval to send before the transaction unless the allowance is already sufficient, or `null` if the transaction needs no allowance.",
    }),
    calls: z.array(WalletCall).meta({
      description:
        "Approvals, allowance resets and the transaction, as a list of calls for EIP-5792 wallets.",
    }),
    warnings: Warnings,
  })
  .meta({ id: "NextStep", description: "A transaction that the user can sign now to continue a deposit." });
export type NextStep = z.infer<typeof NextStep>;

/** The sending or the receiving side of a transfer. */
const TransferSide = z
  .object({
    tx_hash: HashText.nullable().meta({
      description: "Hash of the transaction, or `null` if it is unknown.",
    }),
    tx_link: z.string().nullable().meta({
      description: "URL of the transaction in the chain's block explorer, or `null` if there is none.",
      example: "https://basescan.org/tx/0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060",
    }),
    amount: AmountText.nullable().meta({
      description: "Amount transferred, in the token's smallest unit, or `null` if it is unknown.",
    }),
    chain_id: ChainIdNumber.nullable().meta({
      description: "EIP-155 id of the transaction's chain.",
    }),
    token: z.union([TokenRef, z.null()]).meta({
      description: "Token that `amount` is in, or `null` if it is unknown.",
    }),
    kind: z.enum(["asset", "shares"]).nullable().meta({
      description:
        "Whether `amount` is of a token that was paid or delivered, or of the vault's shares; `null` if unknown.",
      example: "asset",
    }),
  })
  .meta({ id: "TransferSide", description: "The sending or the receiving side of a transfer." });

/** Reason why the remaining step cannot be signed now, or null if there is no such reason. */
const NextRefusal = NextStepRefusal.nullable().meta({
  description: "Reason why the remaining step cannot be signed now, or `null` if there is no such reason.",
});

/** Status of a transfer: what was sent, what arrived, and the tracked deposit or withdrawal that it belongs to. */
export const TransferStatus = z
  .object({
    status: z.enum(transferStatuses).meta({
      description:
        "Status of the transfer. `NOT_FOUND`: the transaction has not been seen yet; `INVALID`: its receipt shows no " +
        "deposit, withdrawal or transfer; `PENDING`: in progress; `DONE` and `FAILED`: ended or failed, confirmed by on-chain data.",
    }),
    substatus: SubstatusText,
    sending: TransferSide.nullable().meta({
      description:
        "Transaction and amount that the user sent, or `null` if they are unknown. Of a redemption request, the shares " +
        "that the vault is to redeem, without those that it took as a fee of the request.",
    }),
    receiving: TransferSide.nullable().meta({
      description:
        "Transaction and amount that the user received (shares, a delivered token or a refund), or `null` if nothing has arrived yet. While a withdrawal's payment is bridged, it is `null` again.",
    }),
    bridge: z.string().nullable().meta({
      description: "Key of the bridge (`GET /v1/bridges`), or `null` if none is used or it is unknown.",
      example: "across",
    }),
    router_explorer: z.string().nullable().meta({
      description: "URL of the bridge's page for the transfer, or `null` if there is none.",
      example: "https://scan.li.fi/tx/0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060",
    }),
    deposit: z
      .object({
        tracking_id: TrackingIdText,
        state: DepositState.meta({ description: "State of the deposit." }),
        shares: AmountText.nullable().meta({
          description:
            "Shares minted to the user, in the share token's smallest unit, or `null` if there are none yet or the amount is unknown.",
          example: "944000000000000000",
        }),
        next: NextStep.nullable().meta({
          description: "Next transaction that the user can sign now, or `null` if there is none.",
        }),
        next_refusal: NextRefusal,
        steps: Steps,
      })
      .nullable()
      .meta({ description: "Tracked deposit that the transaction belongs to, or `null` if there is none." }),
    withdrawal: WithdrawalOfStatus.nullable().meta({
      description: "Tracked withdrawal that the transaction belongs to, or `null` if there is none.",
    }),
    poll_after_ms: PollAfter,
  })
  .meta({ id: "TransferStatus", description: "Status of a transfer and of its deposit or withdrawal." });
export type TransferStatus = z.infer<typeof TransferStatus>;

/** A tracked deposit: its amounts, state, transactions and next step. */
export const Deposit = z
  .object({
    tracking_id: TrackingIdText,
    state: DepositState.meta({ description: "State of the deposit." }),
    status: z.enum(transferStatuses).meta({ description: "Transfer status that corresponds to `state`." }),
    substatus: SubstatusText,
    user_address: AddressText.meta({
      description: "Wallet that pays for the deposit and receives the shares, checksummed.",
      example: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    }),
    vault_id: VaultIdText,
    from_chain_id: ChainIdNumber.meta({ description: "EIP-155 id of the chain that the user pays on." }),
    to_chain_id: ChainIdNumber.meta({ description: "EIP-155 id of the vault's chain." }),
    from_token: AddressText.meta({
      description: "Token that the user pays with, checksummed; the zero address for the native currency.",
    }),
    from_amount: AmountText.meta({ description: "Amount to pay, in the smallest unit of `from_token`." }),
    estimated_shares: AmountText.meta({
      description:
        "Number of shares expected when the deposit was built, in the share token's smallest unit.",
      example: "944000000000000000",
    }),
    min_shares: AmountText.nullable().meta({
      description:
        "Minimum number of shares minted, in the share token's smallest unit, or `null` if no minimum is enforced on-chain. In two steps it is that of the quote, which no contract enforces: the second step has its own when it is built.",
      example: "939280000000000000",
    }),
    shares: AmountText.nullable().meta({
      description:
        "Shares minted to the user, in the share token's smallest unit, or `null` if there are none yet or the amount is unknown.",
      example: "944000000000000000",
    }),
    bridge: z.string().nullable().meta({
      description: "Key of the bridge (`GET /v1/bridges`), or `null` if none is used.",
      example: "across",
    }),
    router_explorer: z.string().nullable().meta({
      description: "URL of the bridge's page for the transfer, or `null` if there is none.",
      example: "https://scan.li.fi/tx/0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060",
    }),
    two_step: z.boolean().meta({
      description:
        "Whether the user has to sign a second transaction on the vault's chain once the funds have arrived.",
      example: false,
    }),
    source_tx_hash: HashText.nullable().meta({
      description:
        "Hash of the deposit's transaction on the source chain, or `null` if it has not been seen on a chain.",
    }),
    destination_tx_hash: HashText.nullable().meta({
      description:
        "Hash of the transaction on the vault's chain that delivered the funds, or deposited them for the user, or `null` if none has been seen.",
    }),
    delivered_amount: AmountText.nullable().meta({
      description:
        "Amount that a swap or bridge delivered to the user, for the second step or instead of shares, in the smallest unit " +
        "of the token that arrived, or `null` if none has been seen.",
    }),
    refund_tx_hash: HashText.nullable().meta({
      description: "Hash of the transaction that refunded the user, or `null` if none has been seen.",
    }),
    deposit_tx_hash: HashText.nullable().meta({
      description:
        "Hash of the user's second transaction or, without the DepositRouter, of the transaction that deposited or made the request, or `null` if none has been seen on a chain.",
    }),
    claim_tx_hash: HashText.nullable().meta({
      description:
        "Hash of the transaction in which an asynchronous vault's shares reached the user, or `null` if it has not been seen on a chain.",
    }),
    parent_tracking_id: NullableTrackingId.meta({
      description:
        "Tracking id of the earlier deposit or withdrawal that this deposit belongs to, or `null` if there is none.",
    }),
    created_at: TimeText.meta({ description: "Time at which the deposit was built." }),
    updated_at: TimeText.meta({ description: "Time of the last change to the deposit." }),
    expires_at: TimeText.meta({ description: "Time at which the quote expires." }),
    history: z
      .array(
        z.object({
          state: DepositState.meta({ description: "State that the deposit reached." }),
          at: TimeText.meta({ description: "Time at which the deposit reached the state." }),
        }),
      )
      .meta({ description: "States that the deposit has reached so far, oldest first." }),
    next: NextStep.nullable().meta({
      description:
        "Next transaction that the user can sign now, or `null` if there is none. Always `null` in lists.",
    }),
    next_refusal: NextRefusal,
  })
  .meta({ id: "Deposit", description: "A tracked deposit, with its state, amounts and transactions." });
export type Deposit = z.infer<typeof Deposit>;

/** A tracked deposit with its steps, the recommended polling interval, and an equal deposit (`same_as`). */
export const DepositDetail = Deposit.extend({
  steps: Steps,
  poll_after_ms: PollAfter,
  same_as: SameAs,
}).meta({
  id: "DepositDetail",
  description: "A tracked deposit, with its steps.",
});
export type DepositDetail = z.infer<typeof DepositDetail>;
