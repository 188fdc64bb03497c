import { type Address, getAddress } from "viem";
import { formatUnits } from "viem/utils";
import * as z from "zod";
import { type Step, type StepPurpose, type StepState, TokenRef } from "../schemas/step-schema.ts";
import { TransactionRequest } from "../schemas/transaction-schema.ts";
import { PlannedAuthorization, type TypedData, typedDataOf } from "./authorization/planned-authorization.ts";
import { encodeApprovals } from "./order-wallet-calls.ts";

/**
 * A transaction that the user sends, with the token that it concerns and the approvals before it, as stored in a step
 * plan.
 */
export const StepLeg = z.object({
  /**
   * Which of the user's transactions it is: the first (`source`) or the second step (`destination`), which may be on
   * the same chain. Prefix of the step ids.
   */
  slot: z.enum(["source", "destination"]),
  purpose: z.enum(["deposit", "transfer", "request", "redeem", "cooldown"]),
  chainId: z.int(),
  /**
   * The token that the transaction takes, and the amount, in the token's smallest unit: of a second step the expected
   * one until it has arrived; null while it is unknown.
   */
  token: TokenRef,
  amount: z.string().nullable(),
  /** Amount of the approval, if the transaction takes only this part by allowance; absent otherwise. */
  approves: z.string().optional(),
  /** Name of the vault whose shares a move or withdrawal pays with; absent otherwise. */
  shares_of: z.string().optional(),
  /**
   * Contract that takes the token; null for the native currency, calls without an approval and signed payments, and
   * while it is unknown.
   */
  spender: z.string().nullable(),
  /**
   * True if the build of the transaction found no approval necessary, or no readable plan is stored; false in a second
   * step that is not built yet.
   */
  allowed: z.boolean(),
  /** True if an earlier allowance had to be reset when the transaction was built. */
  reset: z.boolean(),
  /** The transaction, or null while its calldata is not known yet, as before a signature or a delivery. */
  transaction: TransactionRequest.nullable(),
  /** The signature that pays in place of an approval; absent if the user approves. */
  authorization: PlannedAuthorization.optional(),
});
export type StepLeg = z.infer<typeof StepLeg>;

/** Plan of the user's steps for a deposit or withdrawal, as stored when it is built. */
export const StepPlan = z.object({
  source: StepLeg,
  /**
   * Second step, or null if there is none: the deposit of what a transfer delivered, or the transfer of what the vault
   * paid.
   */
  destination: StepLeg.nullable(),
  /** True if the vault settles the order later, or after a cooldown; the user may then have to claim. */
  settles: z.boolean(),
  /** True if the vault sends what it settles without a claim; absent otherwise. */
  unclaimed: z.literal(true).optional(),
  /** Bridge to try before all others in the second step of a withdrawal; absent if none is preferred. */
  preferred_bridge: z.string().optional(),
  /** Response to the build, stored if a signature must complete it. */
  answer: z.unknown().optional(),
});
export type StepPlan = z.infer<typeof StepPlan>;

/** What the chains and reports show of a leg now. It decides the states of the leg's steps. */
export interface LegFacts {
  state: StepState;
  /** The user's transaction as seen on a chain or reported, or null. */
  txHash: string | null;
  /**
   * The spender's allowance now, in the token's smallest unit, or null if not read; what the build found then applies.
   */
  allowance: bigint | null;
  /**
   * True while the approvals cannot be made yet because the transaction waits for an event, such as a bridge's
   * delivery.
   */
  approvalsWait: boolean;
  /** The transaction with the user's signature, if the caller has just provided it. */
  signed?: TransactionRequest;
}

/**
 * Returns the steps of a leg in order: its approvals, or the signature that pays in their place, and the transaction. A
 * step's id is made of the leg's slot and the step's purpose.
 */
export function toLegSteps(leg: StepLeg, facts: LegFacts): Step[] {
  if (leg.authorization !== undefined) return signedLegSteps(leg, { ...facts, planned: leg.authorization });
  const own = transactionStep(leg, {
    purpose: leg.purpose,
    request: facts.state === "skipped" ? null : leg.transaction,
    state: facts.state,
    txHash: facts.txHash,
  });
  return [...approvalSteps(leg, facts), own];
}

/**
 * Returns the steps of a leg that is paid with a signature. Signatures are not stored, so every response requires the
 * signature again until the chain shows the order or the caller provides it.
 */
function signedLegSteps(leg: StepLeg, facts: LegFacts & { planned: PlannedAuthorization }): Step[] {
  const { state, txHash, signed, planned } = facts;
  const asks = state === "required" && signed === undefined;
  const own = transactionStep(leg, {
    purpose: leg.purpose,
    request: signed ?? null,
    state: asks ? "waiting" : state,
    txHash,
  });
  const signing = signatureStep(leg, {
    purpose: "authorize",
    typedData: asks ? typedDataOf(planned) : null,
    state: asks || state === "skipped" ? state : "done",
  });
  return [signing, own];
}

/**
 * Returns a step in which the user signs an EIP-712 message. `typedData` is null if the message does not have to be
 * signed in this state.
 */
export function signatureStep(
  leg: Pick<StepLeg, "slot" | "chainId" | "token" | "amount" | "shares_of">,
  of: { purpose: StepPurpose; typedData: TypedData | null; state: StepState },
): Step {
  return {
    step_id: `${leg.slot}.${of.purpose}`,
    kind: "signature",
    purpose: of.purpose,
    title: titleOf(leg, of.purpose),
    chain_id: leg.chainId,
    token: leg.token,
    amount: leg.amount,
    spender: null,
    transaction_request: null,
    typed_data: of.typedData,
    state: of.state,
    tx_hash: null,
  };
}

function approvalSteps(leg: StepLeg, facts: LegFacts): Step[] {
  const { token, spender } = leg;
  const amount = leg.approves ?? leg.amount;
  if (spender === null || amount === null) return [];
  const { approve, reset } = approvalStates(leg, facts);
  const resetting = leg.reset || reset === "required";
  const approval = { token: getAddress(token.address), spender: getAddress(spender), amount: BigInt(amount) };
  const [clear, allow] = encodeApprovals({ ...approval, reset: true });
  const step = (purpose: "approve_reset" | "approve", state: StepState, data: string | undefined): Step =>
    transactionStep(
      { ...leg, amount },
      {
        purpose,
        request:
          data === undefined || state === "skipped"
            ? null
            : {
                to: approval.token,
                data: data.toLowerCase(),
                value: "0",
                chain_id: leg.chainId,
                gas_limit: null,
              },
        state,
        txHash: null,
      },
    );
  return [
    ...(resetting ? [step("approve_reset", reset, clear?.data)] : []),
    step("approve", approve, allow?.data),
  ];
}

/**
 * Returns the states of a leg's approval and of the reset before it. If the allowance is unknown, what the build found
 * applies.
 */
function approvalStates(leg: StepLeg, facts: LegFacts): { approve: StepState; reset: StepState } {
  const settled: StepState = leg.allowed ? "skipped" : "done";
  if (facts.state === "skipped") return { approve: "skipped", reset: "skipped" };
  if (facts.approvalsWait) return { approve: "waiting", reset: "waiting" };
  if (facts.state !== "required") return { approve: settled, reset: settled };
  const { allowance } = facts;
  const needed = leg.approves ?? leg.amount;
  const enough = allowance === null || needed === null ? leg.allowed : allowance >= BigInt(needed);
  const partial = allowance === null ? leg.reset : allowance > 0n;
  return {
    approve: enough ? settled : "required",
    reset: !enough && partial ? "required" : settled,
  };
}

/** The parts of a transaction step that its leg does not determine. */
interface StepParts {
  purpose: StepPurpose;
  request: TransactionRequest | null;
  state: StepState;
  txHash: string | null;
}

/**
 * Returns a step of a leg in which the user sends a transaction. `request` is null if its calldata is not known or the
 * step is skipped; `txHash` is null for an approval.
 */
export function transactionStep(
  leg: Pick<StepLeg, "slot" | "chainId" | "token" | "amount" | "spender" | "shares_of">,
  { purpose, request, state, txHash }: StepParts,
): Step {
  const approves = purpose === "approve" || purpose === "approve_reset";
  return {
    step_id: `${leg.slot}.${purpose}`,
    kind: "transaction",
    purpose,
    title: titleOf(leg, purpose),
    chain_id: leg.chainId,
    token: leg.token,
    amount: purpose === "approve_reset" ? "0" : leg.amount,
    spender: approves ? leg.spender : null,
    transaction_request: request,
    typed_data: null,
    state,
    tx_hash: txHash,
  };
}

/**
 * Returns the step that claims a settled request, or cancels one. `token` is what the user receives, or null if not
 * named; `request` is null unless the transaction can be sent now.
 */
export function toRequestStep(of: {
  purpose: "claim" | "cancel";
  chainId: number;
  token: TokenRef | null;
  request: TransactionRequest | null;
  state: StepState;
  txHash: string | null;
}): Step {
  return {
    step_id: of.purpose,
    kind: "transaction",
    purpose: of.purpose,
    title: of.purpose === "claim" ? "Claim what the vault settled" : "Cancel the request",
    chain_id: of.chainId,
    token: of.token,
    amount: null,
    spender: null,
    transaction_request: of.request,
    typed_data: null,
    state: of.state,
    tx_hash: of.txHash,
  };
}

const TITLES: Readonly<Record<StepPurpose, string>> = {
  approve_reset: "Reset the allowance of",
  approve: "Approve",
  authorize: "Sign for",
  deposit: "Deposit",
  transfer: "Swap or bridge",
  redeem: "Redeem",
  request: "Request the deposit of",
  claim: "Claim",
  cooldown: "Start the cooldown of",
  cancel: "Cancel",
};

/** Titles of steps that pay with a vault's shares, where they differ from those for other tokens. */
const SHARE_TITLES: Readonly<Partial<Record<StepPurpose, string>>> = {
  deposit: "Move",
  transfer: "Redeem and bridge",
  request: "Request the redemption of",
};

/**
 * Returns the title of a step: the user's action, with the amount if it and the token's decimals are known. Shares are
 * named by their vault, because a share token's symbol is unverified.
 */
function titleOf(
  { token, amount, shares_of }: Pick<StepLeg, "token" | "amount" | "shares_of">,
  purpose: StepPurpose,
): string {
  const does = shares_of === undefined ? TITLES[purpose] : (SHARE_TITLES[purpose] ?? TITLES[purpose]);
  const name = shares_of === undefined ? token.symbol || "the token" : `shares of ${shares_of}`;
  if (purpose === "approve_reset" || amount === null || token.decimals === null)
    return shares_of === undefined ? `${does} ${name}` : `${does} the ${name}`;
  return `${does} ${readableAmount(BigInt(amount), token.decimals)} ${name}`;
}

/** Maximum number of decimals in a title, unless an amount below one needs more to show `SHOWN_DIGITS` digits. */
const SHOWN_DECIMALS = 6;
const SHOWN_DIGITS = 2;

/**
 * Formats an amount for display, rounded down and without trailing zeros: at most six decimals, or as many as an amount
 * below one needs to show two significant digits.
 */
function readableAmount(amount: bigint, decimals: number): string {
  const [whole = "0", fraction = ""] = formatUnits(amount, decimals).split(".");
  const leading = /^0*/.exec(fraction)?.[0].length ?? 0;
  const digits = whole === "0" ? Math.max(SHOWN_DECIMALS, leading + SHOWN_DIGITS) : SHOWN_DECIMALS;
  const shown = fraction.slice(0, digits).replace(/0+$/, "");
  return shown === "" ? whole : `${whole}.${shown}`;
}

/**
 * Creates a leg from a payment and the number of approvals that the build found necessary. Without approvals, the leg
 * counts as allowed; with two, as needing a reset of the old allowance.
 */
export function toLeg(
  leg: Omit<StepLeg, "spender" | "allowed" | "reset"> & {
    spender: Address | null;
    /** Number of approvals that the build found necessary: none, one, or a reset and one. */
    approvals: number;
  },
): StepLeg {
  const { approvals, ...rest } = leg;
  return { ...rest, allowed: approvals === 0, reset: approvals > 1 };
}

/**
 * Returns the steps of a withdrawal that was just built, in order; all after those of the leg `source` are `waiting`.
 * `signed` is that leg's transaction with the user's signature, if just provided.
 */
export function toBuiltWithdrawalSteps(
  { source, destination, settles, unclaimed }: StepPlan,
  signed?: TransactionRequest,
): Step[] {
  const now: LegFacts = { state: "required", txHash: null, allowance: null, approvalsWait: false };
  const later: LegFacts = { ...now, state: "waiting", approvalsWait: true };
  const { chainId } = source;
  const token = destination?.token ?? null;
  const claim = { purpose: "claim", chainId, token, request: null, state: "waiting", txHash: null } as const;
  return [
    ...toLegSteps(source, signed === undefined ? now : { ...now, signed }),
    ...(settles && unclaimed !== true ? [toRequestStep(claim)] : []),
    ...(destination === null ? [] : toLegSteps(destination, later)),
  ];
}
