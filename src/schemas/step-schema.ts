import * as z from "zod";
import { AddressText, AmountText, ChainIdNumber, HashText, NullableTrackingId } from "./primitive-schemas.ts";
import { TransactionRequest } from "./transaction-schema.ts";

/** Address, symbol and decimals of the token that an amount is in. */
export const TokenRef = z
  .object({
    address: AddressText.meta({
      description: "Address of the token, checksummed; the zero address for the chain's native currency.",
    }),
    symbol: z
      .string()
      .meta({ description: "Symbol of the token, or empty if it is unknown.", example: "USDC" }),
    decimals: z.int().nullable().meta({
      description: "Decimals of the token, or `null` if they are unknown.",
      example: 6,
    }),
  })
  .meta({ id: "TokenRef", description: "Symbol and decimals of the token that an amount is in." });
export type TokenRef = z.infer<typeof TokenRef>;

/**
 * Purposes of a step that the user takes for a deposit or withdrawal. `authorize` is a signature, and so is the first
 * `cancel` of an ERC-3009 order; all other steps are transactions.
 */
export const stepPurposes = [
  "approve_reset",
  "approve",
  "authorize",
  "deposit",
  "transfer",
  "redeem",
  "request",
  "claim",
  "cooldown",
  "cancel",
] as const;
export type StepPurpose = (typeof stepPurposes)[number];

/** Schema of the purpose of a step. */
const StepPurposeText = z.enum(stepPurposes).meta({
  id: "StepPurpose",
  description:
    "Purpose of a step. `approve_reset`: sets an earlier allowance to zero, which tokens such as USDT require; `approve`: " +
    "allows the spender to take the amount; `authorize`: a signature in place of both; `deposit`: the deposit into the " +
    "vault; `transfer`: a swap or bridge that delivers to the user; `request`: a deposit or redemption that the vault settles later; " +
    "`claim`: the collection of what it settled; `redeem`: the redemption of shares; `cooldown`: the start of a vault's " +
    "waiting time; `cancel`: taking back a request, or making a signed order unusable.",
  example: "deposit",
});

/** States of a step. */
export const stepStates = ["required", "waiting", "done", "skipped"] as const;
export type StepState = (typeof stepStates)[number];

/** Schema of the state of a step. */
const StepStateText = z.enum(stepStates).meta({
  id: "StepState",
  description:
    "State of a step, as on-chain data and reports show it. `required`: the user can do it now; `waiting`: it was sent, or waits for an earlier step, a bridge or the vault; `done`; `skipped`: it is not needed, or no longer possible.",
  example: "required",
});

/** Fields of every step. */
const common = {
  step_id: z.string().meta({
    description: "Id of the step within its deposit or withdrawal. It stays the same in every reading.",
    example: "source.deposit",
  }),
  purpose: StepPurposeText.meta({ description: "What the step is for." }),
  title: z.string().meta({ description: "What the user does, for display.", example: "Approve 25 USDC" }),
  chain_id: ChainIdNumber.meta({ description: "EIP-155 id of the chain on which the user does it." }),
  token: z.union([TokenRef, z.null()]).meta({
    description: "Token that the step approves, pays, takes or receives, or `null` if it names none.",
  }),
  amount: AmountText.nullable().meta({
    description:
      "Amount that the step approves, pays or takes, in the token's smallest unit, or `null` if unknown.",
  }),
  spender: AddressText.nullable().meta({
    description: "Contract that an approval is for, checksummed, or `null` if the step approves nothing.",
    example: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
  }),
  state: StepStateText.meta({ description: "State of the step, as on-chain data and reports show it." }),
  tx_hash: HashText.nullable().meta({
    description: "Hash of the step's transaction, or `null` if none is known.",
  }),
};

/** A step that is a transaction of the user. */
const TransactionStep = z
  .object({
    ...common,
    kind: z.literal("transaction").meta({ description: "Always `transaction`." }),
    transaction_request: z.union([TransactionRequest, z.null()]).meta({
      description:
        "Transaction to sign and send; `null` in a skipped step, and while it cannot be exact, for example before a bridge " +
        "has delivered.",
    }),
    typed_data: z.null().meta({ description: "Always `null` for a transaction." }),
  })
  .meta({ id: "TransactionStep", description: "A step that is a transaction of the user." });

/** A step that is a signature of the user. */
const SignatureStep = z
  .object({
    ...common,
    kind: z.literal("signature").meta({ description: "Always `signature`." }),
    transaction_request: z.null().meta({ description: "Always `null` for a signature." }),
    typed_data: z.union([z.record(z.string(), z.unknown()), z.null()]).meta({
      description:
        "EIP-712 message to sign, for `eth_signTypedData_v4`, or `null` if it is not to be signed now.",
    }),
  })
  .meta({ id: "SignatureStep", description: "A step that is a signature of the user." });

/** One step that the user takes for a deposit or withdrawal: a transaction or a signature. */
export const Step = z.discriminatedUnion("kind", [TransactionStep, SignatureStep]).meta({
  id: "Step",
  description: "One thing that the user does: a transaction or a signature.",
});
export type Step = z.infer<typeof Step>;

/** All steps of a deposit or withdrawal, in order, including those that are done or skipped. */
export const Steps = z.array(Step).meta({
  description:
    "All steps of the user, in order. Do the first step that is `required`, read again, and repeat until no step is `required` or `waiting`.",
});

/** Recommended time before the next read of a deposit, withdrawal or status, in milliseconds. */
export const PollAfter = z.int().meta({
  description: "Recommended time before the next read, in milliseconds.",
  example: 5000,
});

/**
 * In a single deposit or withdrawal: tracking id of another one with the same call that has the transaction, or null.
 */
export const SameAs = NullableTrackingId.meta({
  description:
    "Tracking id of the user's deposit or withdrawal with the same call under which a transaction newer than this " +
    "build is recorded, or `null` if there is none. Calls of a vault name no order, so the transaction may be this " +
    "one's. If it was reported for this one and both continue alike, the answer shows its progress; otherwise this one keeps its own state. " +
    "Lists and totals count it once, under that tracking id.",
});

/** Statuses of a transfer in `GET /v1/status`. */
export const transferStatuses = ["NOT_FOUND", "INVALID", "PENDING", "DONE", "FAILED"] as const;
export type TransferStatusName = (typeof transferStatuses)[number];

/** Details of a transfer's status: what it waits for, its outcome, or why it failed. */
export const substatuses = [
  "WAIT_SOURCE_CONFIRMATIONS",
  "WAIT_DESTINATION_TRANSACTION",
  "BRIDGE_NOT_AVAILABLE",
  "CHAIN_NOT_AVAILABLE",
  "REFUND_IN_PROGRESS",
  "WAIT_DEPOSIT_TRANSACTION",
  "WAIT_VAULT_SETTLEMENT",
  "WAIT_CLAIM_TRANSACTION",
  "WAIT_COOLDOWN",
  "WAIT_TRANSFER_TRANSACTION",
  "COMPLETED",
  "PARTIAL",
  "REFUNDED",
  "CANCELLED",
  "REJECTED",
  "NOT_PROCESSABLE_REFUND_NEEDED",
  "OUT_OF_GAS",
  "SLIPPAGE_EXCEEDED",
  "INSUFFICIENT_ALLOWANCE",
  "INSUFFICIENT_BALANCE",
  "EXPIRED",
  "UNKNOWN_ERROR",
] as const;
export type Substatus = (typeof substatuses)[number];

/** Returns true if the text is one of the API's substatuses. */
export const isSubstatus = (text: string | null): text is Substatus =>
  substatuses.some((substatus) => substatus === text);

/** Details of a transfer's status, or null if the status has none. */
export const SubstatusText = z.enum(substatuses).nullable().meta({
  description:
    "Details of the status: what the transfer is waiting for, its outcome, or why it failed. `null` if there are none.",
  example: "WAIT_DESTINATION_TRANSACTION",
});

/**
 * Reason why the remaining step cannot be signed now. `code` is an error code of the API, or a code that appears only
 * in such reasons, for example `balance_insufficient`.
 */
export const NextStepRefusal = z
  .object({
    code: z.string().meta({ description: "Stable code of the reason.", example: "would_revert" }),
    detail: z.string().meta({
      description: "Human-readable explanation of the reason.",
      example: "the vault has paused deposits",
    }),
  })
  .meta({ id: "NextStepRefusal", description: "The reason why a remaining step cannot be signed now." });
export type NextStepRefusal = z.infer<typeof NextStepRefusal>;

/** A warning of a quote, build or next step, which the user should see before signing. */
export const Warning = z
  .object({
    code: z.string().meta({
      description:
        "Stable code. `price_unverified`: no independent price of a token is known; a second provider's offer confirms the " +
        "route's amounts. `rate_unverified`: nothing confirms the rate at which the vault counts a token that is not its " +
        "asset. `receiver_without_code`: the user's account is a contract, and has no code on the chain where the order pays. " +
        "Of moves: `shares_sold`: the shares cannot be redeemed and deposited in this transaction, so an exchange buys them. Of withdrawals and moves: `exit_fee`: the exit fee of the vault that is left exceeds the slippage " +
        "tolerance. Of withdrawals only: `no_minimum`: no contract enforces a minimum payment; `mode_changed`: the vault " +
        "refuses an instant payment, so `auto` has chosen a request or cooldown; `not_cancellable`: the user cannot take " +
        "the request or cooldown back; `route_unknown`: whether a route takes a later payment to the requested token is " +
        "unknown; `request_unverified`: no node shows whether the vault records the request for the account; " +
        "`approval_unused`: a part of the approval may stay; `pays_less`: a claim pays clearly less than the " +
        "vault states; `amount_shared`: the vault paid several requests together, and the step takes only what none " +
        "of the others known here can claim. Of claims and cancellations: `received_unknown`: what they bring could not be read.",
      example: "price_unverified",
    }),
    detail: z.string().meta({
      description: "Explanation for people.",
      example: "no independent price is known; a second offer agrees with this one",
    }),
  })
  .meta({ id: "Warning", description: "What the user should know before signing." });
export type Warning = z.infer<typeof Warning>;

/** The warnings of a quote, build or next step. */
export const Warnings = z
  .array(Warning)
  .meta({ description: "Warnings to show before signing; empty if there are none.", example: [] });
