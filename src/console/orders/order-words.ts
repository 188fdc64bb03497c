import type { Step } from "../../client/operations/read-operations.ts";
import { formatAmount } from "../format/format-numbers.ts";
import { shorten } from "../format/format-text.ts";
import { formatTime } from "../format/format-times.ts";

/** State of a deposit or withdrawal, as the API names it. The API may add states. */
export type OrderState = string;
/** Kind of an order. The API's paths contain it in the plural. */
export type OrderKind = "deposit" | "withdrawal";

/** Returns true while one of an order's steps is required or waiting. */
export const isOpen = ({ steps }: { steps: readonly Pick<Step, "state">[] }): boolean =>
  steps.some(({ state }) => state === "required" || state === "waiting");

/**
 * Returns true in the state `built` if the order is paid by a signature with which any account could submit it, so that
 * cancelling may have an effect. While its message is to be signed, a permit is excluded: only its owner can submit it.
 */
export const isCancellable = ({ state, steps }: { state: string; steps: readonly Step[] }): boolean =>
  state === "built" &&
  steps.some(
    ({ kind, typedData }) =>
      kind === "signature" && (typedData as AuthorizationMessage | null)?.primaryType !== "Permit",
  );

/** States of an order of which no transaction was seen. */
const UNSENT = new Set(["built", "expired", "abandoned"]);

/** Returns the notice for an order whose `sameAs` names another one with the same call, which has a transaction. */
export function describeEqual(
  { state }: { state: OrderState },
  kind: OrderKind,
): { title: string; explanation: string } {
  if (UNSENT.has(state))
    return {
      title: `An equal ${kind} of yours was sent`,
      explanation: `It may be this one: both have the same call. Look at it before you sign or start again, because signing again moves the money a second time.`,
    };
  return {
    title: `This ${kind} is listed under another id`,
    explanation: `Two of your ${kind}s have the same call, and one transaction carried it out. What you see here is its progress. It counts once.`,
  };
}

const DEPOSIT = {
  title: "Deposit into the vault",
  explanation: "Pays the vault and sends its shares to your address. It reverts if you would get too few.",
};
const BRIDGED_DEPOSIT = {
  title: "Deposit through the bridge",
  explanation:
    "Pays the bridge, which deposits on the vault's chain for you. If that fails, you get tokens back, not shares.",
};

/**
 * Returns the title of a step and an explanation of what it does or allows. `bridge` is the bridge of the order if its
 * first transaction pays one, otherwise null. Amounts in the texts are exact.
 */
export function describeStep(
  step: Step,
  bridge: string | null = null,
): { title: string; explanation: string } {
  const amount = amountOf(step);
  const spender = step.spender === null ? "the contract" : shorten(step.spender);
  switch (step.purpose) {
    case "approve_reset":
      return {
        title: `Reset the approval of ${symbolOf(step)}`,
        explanation:
          "This token refuses a new approval while an old one stands. This sets the old one to zero.",
      };
    case "approve":
      return {
        title: `Approve ${amount}`,
        explanation: `Allows ${spender} to take exactly this amount, once. It moves nothing by itself.`,
      };
    case "authorize":
      return { title: `Sign for ${amount}`, explanation: describeSignature(step, amount) };
    case "deposit":
      return bridge !== null && step.stepId.startsWith("source") ? BRIDGED_DEPOSIT : DEPOSIT;
    case "transfer":
      return {
        title: `Swap or bridge ${amount}`,
        explanation: "Sends your tokens through the chosen route. They arrive at your own address.",
      };
    case "redeem":
      return {
        title: "Redeem your shares",
        explanation:
          bridge === null
            ? "Returns shares to the vault and pays you the asset."
            : "Returns shares to the vault and sends what it pays through the bridge to your address.",
      };
    case "request":
      return {
        title: "Request settlement by the vault",
        explanation:
          "The vault settles later, at its own times. Until then, the request counts in your portfolio.",
      };
    case "claim":
      return {
        title: "Claim what the vault settled",
        explanation: "Moves the settled amount to your address.",
      };
    case "cooldown":
      return {
        title: "Start the cooldown",
        explanation: "Hands in your shares. You claim the payment after the vault's waiting time.",
      };
    case "cancel":
      return {
        title: "Cancel",
        explanation: "Cancels the order on chain, so that it can no longer be executed.",
      };
  }
}

/** The parts of an EIP-712 message that are displayed: its type, and when it expires, in unix seconds. */
interface AuthorizationMessage {
  primaryType?: string;
  message?: { deadline?: string; validBefore?: string };
}

/**
 * Returns an explanation of what a signature allows, by the type of its message: a permit, a cancellation, or a payment
 * for one order. Includes the deadline of a permit or payment, if the message has one.
 */
function describeSignature({ typedData }: Step, amount: string): string {
  const { primaryType, message = {} } = (typedData ?? {}) as AuthorizationMessage;
  const ends = Number(message.deadline ?? message.validBefore ?? Number.NaN);
  const until = Number.isFinite(ends) ? ` until ${formatTime(new Date(ends * 1_000).toISOString())}` : "";
  if (primaryType === "Permit")
    return `Allows Causeway's contract to take ${amount} from you${until}, only in a transaction that you send yourself. Signing costs no fee.`;
  if (primaryType === "CancelAuthorization")
    return "Makes the earlier signature unusable. It moves nothing. Signing costs no fee.";
  return `Pays ${amount} for exactly this order, once${until}. It cannot be used for anything else. Signing costs no fee.`;
}

/** The fields of a token that are needed to show an amount of it. */
type ShownToken = { symbol: string; decimals: number | null };

/**
 * Returns the token that a deposit pays, from the listed tokens or else from its steps, as for a move, which pays with
 * a vault's shares. Undefined if neither contains it.
 */
export function paidToken(
  { fromToken, fromChainId, steps }: { fromToken: string; fromChainId: number; steps: readonly Step[] },
  listed: readonly (ShownToken & { address: string })[],
): ShownToken | undefined {
  const from = fromToken.toLowerCase();
  const known = listed.find(({ address }) => address.toLowerCase() === from);
  if (known !== undefined) return known;
  const step = steps.find(
    ({ chainId, token }) => chainId === fromChainId && token?.address.toLowerCase() === from,
  );
  if (step?.token === null || step === undefined) return undefined;
  return { symbol: step.token.symbol || "shares", decimals: step.token.decimals };
}

const symbolOf = ({ token }: Step): string => token?.symbol ?? "the token";

function amountOf(step: Step): string {
  if (step.token === null || step.amount === null || step.token.decimals === null) return symbolOf(step);
  const { decimals, symbol } = step.token;
  // Exact: this text says what the user signs. A token without a symbol is a vault's share token.
  return `${formatAmount(step.amount, { decimals, digits: decimals })} ${symbol || "shares"}`;
}

/** How the console shows an order's state: label, color tone, and a short summary (empty for an unknown state). */
export interface OrderStateText {
  label: string;
  tone: "neutral" | "accent" | "good" | "warn" | "bad";
  summary: string;
}

const STATES: Readonly<Record<string, OrderStateText>> = {
  built: { label: "Ready to sign", tone: "accent", summary: "Not sent yet." },
  expired: { label: "Expired", tone: "neutral", summary: "It was not sent before the quote expired." },
  abandoned: { label: "Given up", tone: "neutral", summary: "Nothing was seen on chain." },
  submitted: { label: "Sent", tone: "accent", summary: "Waiting until the transaction is final." },
  bridging: { label: "On its way", tone: "accent", summary: "The bridge delivers to the vault's chain." },
  awaiting_deposit: {
    label: "Your turn",
    tone: "warn",
    summary: "The tokens arrived at your address. One more transaction deposits them.",
  },
  awaiting_transfer: {
    label: "Your turn",
    tone: "warn",
    summary: "The asset arrived at your address. One more transaction brings it to where you want it.",
  },
  requested: {
    label: "Waiting for the vault",
    tone: "accent",
    summary: "The vault settles requests at its own times. You can close this page.",
  },
  cooling: {
    label: "Cooling down",
    tone: "accent",
    summary: "You claim the payment after the vault's waiting time. You can close this page.",
  },
  claimable: {
    label: "Ready to claim",
    tone: "warn",
    summary: "The vault has settled. Claim to receive it.",
  },
  completed: { label: "Completed", tone: "good", summary: "Everything arrived at your address." },
  partial: {
    label: "Ended half-way",
    tone: "warn",
    summary: "The asset is at your address, but it was not changed into what you asked for.",
  },
  refunded: { label: "Refunded", tone: "warn", summary: "Your tokens were returned to your address." },
  cancelled: { label: "Cancelled", tone: "neutral", summary: "The request was taken back." },
  failed: {
    label: "Failed",
    tone: "bad",
    summary: "The transaction reverted, or it paid nothing. Look at it before you try again.",
  },
  rejected: { label: "Rejected", tone: "bad", summary: "The vault rejected the request." },
};

const PARTIAL_WITHDRAWAL: OrderStateText = {
  label: "Partly paid",
  tone: "warn",
  summary: "The vault paid a part of your request. The other shares are at your address.",
};

/** Returns the texts for an order's state. An unknown state is displayed by its name. */
export function describeState(state: OrderState, kind: OrderKind): OrderStateText {
  if (state === "partial" && kind === "withdrawal") return PARTIAL_WITHDRAWAL;
  return STATES[state] ?? { label: state.replaceAll("_", " "), tone: "neutral", summary: "" };
}

/** Explanations of failed orders, by substatus. The others name no reason, or the state's summary says it. */
const FAILURES: Readonly<Record<string, string>> = {
  EXPIRED: "Its time had run out.",
  INSUFFICIENT_ALLOWANCE: "The approval was too small.",
  INSUFFICIENT_BALANCE: "The balance was too small.",
  NOT_PROCESSABLE_REFUND_NEEDED: "The vault rejected the request, and a refund is due: ask its curator.",
  OUT_OF_GAS: "The gas limit was too low.",
  SLIPPAGE_EXCEEDED: "The price moved by more than the maximum slippage, so nothing was taken.",
};

/** Returns the reason why an order failed, by its substatus. Empty if there is no text for that. */
export const describeFailure = (substatus: string | null): string => FAILURES[substatus ?? ""] ?? "";
