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
import {
  NextStepRefusal,
  PollAfter,
  SameAs,
  Steps,
  SubstatusText,
  transferStatuses,
  Warnings,
} from "./step-schema.ts";
import { Approval, TransactionRequest, WalletCall } from "./transaction-schema.ts";

/** States of a tracked withdrawal. */
export const withdrawalStates = [
  "built",
  "expired",
  "abandoned",
  "submitted",
  "requested",
  "cooling",
  "claimable",
  "awaiting_transfer",
  "bridging",
  "completed",
  "partial",
  "refunded",
  "cancelled",
  "failed",
  "rejected",
] as const;
/**
 * Schema of the state of a tracked withdrawal. Its description, which the OpenAPI document shows, explains each state.
 */
export const WithdrawalState = z.enum(withdrawalStates).meta({
  description:
    "State of a withdrawal. No transaction seen yet: `built`; `expired`: the quote's time is over; `abandoned`: hidden by the user. In progress: `submitted`: the first transaction is unconfirmed; `requested`: the vault has yet to pay; `cooling`: the cooldown runs; `claimable`: the user can claim; `awaiting_transfer`: the vault paid, and the user must send the swap or bridge transaction; `bridging`: the tokens are in transit. Final: `completed`; `partial`: the vault paid only a part of the request, in `exit_token`; `refunded`: by the bridge; `cancelled`; `rejected`: by the vault. `failed`: the first transaction reverted, and may be sent again, or it took the shares without paying the user, or the time to claim ended.",
});
export type WithdrawalState = z.infer<typeof WithdrawalState>;

/**
 * The user's next transaction: the claim of the vault's payment, the second step (`transfer`, the swap or bridge of
 * that payment), or the cancellation of an expired request.
 */
export const WithdrawalNextStep = z
  .object({
    kind: z.enum(["claim", "transfer", "cancel"]).meta({
      description:
        "Kind of step. `claim`: the claim of what the vault settled; `transfer`: the swap or bridge of what it paid; " +
        "`cancel`: cancels a request whose claim window has ended.",
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
  .meta({
    id: "WithdrawalNextStep",
    description: "A transaction that the user can sign now to continue a withdrawal.",
  });
export type WithdrawalNextStep = z.infer<typeof WithdrawalNextStep>;

const next = WithdrawalNextStep.nullable().meta({
  description: "Next transaction that the user can sign now, or `null` if there is none.",
});
const nextRefusal = NextStepRefusal.nullable().meta({
  description: "Reason why the remaining step cannot be signed now, or `null` if there is no such reason.",
});
const paidAssets = AmountText.nullable().meta({
  description:
    "Amount that the vault paid, in the smallest unit of the token that it pays, or `null` if it is unknown.",
  example: "101000000",
});

/** A tracked withdrawal in the response of `GET /v1/status`. */
export const WithdrawalOfStatus = z.object({
  tracking_id: TrackingIdText,
  state: WithdrawalState.meta({ description: "State of the withdrawal." }),
  assets: paidAssets,
  next,
  next_refusal: nextRefusal,
  steps: Steps,
});

/** A tracked withdrawal: its amounts, state, transactions and next step. */
export const Withdrawal = z
  .object({
    tracking_id: TrackingIdText,
    state: WithdrawalState.meta({ description: "State of the withdrawal." }),
    status: z.enum(transferStatuses).meta({ description: "Transfer status that corresponds to `state`." }),
    substatus: SubstatusText,
    user_address: AddressText.meta({
      description: "Wallet that holds the shares and receives the payment, checksummed.",
      example: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    }),
    vault_id: VaultIdText,
    mode: z.enum(["instant", "request", "cooldown"]).meta({
      description:
        "How the vault pays. `instant`: in the same transaction; `request`: after it has settled a request; `cooldown`: " +
        "after a fixed wait.",
    }),
    shares: AmountText.meta({
      description:
        "Shares to redeem, in the share token's smallest unit. Once the redemption is on chain, the shares that it redeemed, " +
        "without those that the vault took as a fee of the request.",
    }),
    chain_id: ChainIdNumber.meta({ description: "EIP-155 id of the vault's chain." }),
    to_chain_id: ChainIdNumber.meta({ description: "EIP-155 id of the chain on which the user is paid." }),
    exit_token: AddressText.meta({
      description: "Token that the vault pays, checksummed; the zero address for the native currency.",
    }),
    to_token: AddressText.meta({
      description: "Requested token, checksummed; the zero address for the native currency.",
    }),
    estimated_assets: AmountText.nullable().meta({
      description:
        "Amount that the vault was expected to pay when the withdrawal was built, or `null` if it was unknown.",
    }),
    min_assets: AmountText.nullable().meta({
      description: "Least amount that the vault must pay, or `null` if no minimum is enforced on-chain.",
    }),
    assets: paidAssets,
    to_amount: AmountText.nullable().meta({
      description:
        "Amount that reached the user, in the smallest unit of `to_token`, or `null` if nothing has arrived or the amount is unknown.",
    }),
    to_amount_min: AmountText.nullable().meta({
      description:
        "Least amount of `to_token` that must arrive, or `null` if no minimum is enforced on-chain. In two steps it is " +
        "the minimum of the quote at the build; the second step is quoted again when it is built, with its own minimum.",
    }),
    request_id: z.string().nullable().meta({
      description: "Id of the request at the vault, or `null` if there is none or it is unknown.",
      example: "42",
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
        "Whether the user has to send a second transaction that swaps or bridges what the vault paid.",
      example: false,
    }),
    source_tx_hash: HashText.nullable().meta({
      description:
        "Hash of the transaction that redeems, requests or starts the cooldown, or `null` if it has not been seen on a chain.",
    }),
    claim_tx_hash: HashText.nullable().meta({
      description:
        "Hash of the transaction in which the vault paid a request, or `null` if none has been seen.",
    }),
    transfer_tx_hash: HashText.nullable().meta({
      description: "Hash of the user's second transaction, or `null` if it has not been seen on a chain.",
    }),
    destination_tx_hash: HashText.nullable().meta({
      description:
        "Hash of the transaction in which a bridge paid the user, or `null` if none has been seen.",
    }),
    refund_tx_hash: HashText.nullable().meta({
      description:
        "Hash of the transaction that cancelled or rejected the request, or in which a bridge paid back, or `null`.",
    }),
    created_at: TimeText.meta({ description: "Time at which the withdrawal was built." }),
    updated_at: TimeText.meta({ description: "Time of the last change to the withdrawal." }),
    expires_at: TimeText.meta({ description: "Time at which the quote expires." }),
    history: z
      .array(
        z.object({
          state: WithdrawalState.meta({ description: "State that the withdrawal reached." }),
          at: TimeText.meta({ description: "Time at which the withdrawal reached the state." }),
        }),
      )
      .meta({ description: "States that the withdrawal has reached so far, oldest first." }),
    next: next.meta({
      description:
        "Next transaction that the user can sign now, or `null` if there is none. Always `null` in lists.",
    }),
    next_refusal: nextRefusal,
  })
  .meta({ id: "Withdrawal", description: "A tracked withdrawal, with its state, amounts and transactions." });
export type Withdrawal = z.infer<typeof Withdrawal>;

/** A tracked withdrawal with its steps, the recommended polling interval, and an equal withdrawal (`same_as`). */
export const WithdrawalDetail = Withdrawal.extend({
  steps: Steps,
  poll_after_ms: PollAfter,
  same_as: SameAs,
}).meta({
  id: "WithdrawalDetail",
  description: "A tracked withdrawal, with its steps.",
});
export type WithdrawalDetail = z.infer<typeof WithdrawalDetail>;
