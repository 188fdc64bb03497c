import { CausewayError } from "../../client/causeway-client-error.ts";
import { toSentence } from "./format-text.ts";

/**
 * Text of an error for display: what happened, what the user can do or else the error's message, and the id of the
 * request for support inquiries (null if the error has none).
 */
export interface ErrorText {
  title: string;
  advice: string;
  reference: string | null;
}

const INTERRUPTED = [
  "The service cannot answer this now",
  "Try again in a minute. What was sent already continues by itself.",
] as const;

/** Title and advice by error code. If the advice is empty, the error's message is shown instead. */
const WORDS: Partial<Record<CausewayError["code"], readonly [title: string, advice: string]>> = {
  above_maximum: ["The vault does not take this much", ""],
  aborted: ["Stopped", "Nothing more is sent. What was sent already continues by itself."],
  below_minimum: ["Below the vault's minimum", ""],
  chain_unavailable: [
    "Your wallet did not switch networks",
    "Add or select the network in your wallet, then continue.",
  ],
  chain_unsupported: ["This chain is not supported", "Choose another chain."],
  credentials_invalid: ["Not accepted", "Sign in again."],
  credentials_required: ["Sign in first", "This page needs a signature of your wallet."],
  deposit_not_found: ["No such deposit", "Check the address of this page."],
  exits_paused: ["The vault has paused withdrawals", ""],
  in_progress: [
    "This order is already being signed",
    "Answer what your wallet shows, or continue in the tab that started it. If neither waits for you, load this page again.",
  ],
  insufficient_allowance: ["Your wallet approved too little", "Nothing was paid. Approve the full amount."],
  insufficient_balance: ["Your balance is too small", "Nothing was sent. Enter a smaller amount."],
  internal: [
    "Something failed on our side",
    "Try again; the reference helps support to find it. What was sent already continues by itself.",
  ],
  invalid_input: ["This is not valid", ""],
  network: ["No answer from the service", "Check your connection. Nothing was sent by this request."],
  no_liquidity: ["The vault cannot pay this much now", ""],
  no_route: ["No route was found", ""],
  not_allowed: ["The vault does not accept this account", ""],
  outcome_unknown: [
    "Your wallet may have sent this",
    "Look at the activity of your wallet. If the transaction is there, wait: this page continues when it is in a block. " +
      "Signing again would pay a second time.",
  ],
  overloaded: ["Too many orders are in progress", "Nothing was sent. Try again in a few seconds."],
  price_stale: ["A price is too old to be safe", ""],
  price_unsafe: ["The price is not fair", ""],
  quote_expired: ["This quote has expired", "The order was not sent. Start again with a new quote."],
  rate_limited: ["Too many requests", "Wait a minute, then try again."],
  session_expired: ["Your session has ended", "Sign in again."],
  signal_not_found: ["No such signal", "It may be older than 90 days."],
  simulation_unavailable: ["It cannot be checked now", "Nothing was sent. Try again in a minute."],
  store_unavailable: INTERRUPTED,
  token_unsupported: ["This token is not supported", "Choose another token."],
  transaction_cancelled: [
    "You cancelled the transaction in your wallet",
    "Nothing but the network fee was spent. Continue when you are ready.",
  ],
  transaction_replaced: [
    "Your wallet sent another transaction in its place",
    "This step was not done. Look at the activity of your wallet before you continue.",
  ],
  transaction_reverted: [
    "The transaction failed on chain",
    "Nothing but the network fee was spent by it. Load this page again before you continue.",
  ],
  upstream_timeout: INTERRUPTED,
  upstream_unavailable: INTERRUPTED,
  user_rejected: [
    "You declined in your wallet",
    "What you declined was not sent. Continue when you are ready.",
  ],
  vault_not_found: ["No such vault", "Check the address of this page, or choose a vault from the list."],
  vault_paused: ["Deposits into this vault are paused", ""],
  wallet_failed: ["Your wallet could not do this", ""],
  withdrawal_not_found: ["No such withdrawal", "Check the address of this page."],
  would_revert: ["This would fail on chain", ""],
  wrong_account: [
    "Your wallet holds another account",
    "Select the account that this order belongs to in your wallet, then continue.",
  ],
  zero_shares: ["Too small to give any shares", "Enter a larger amount."],
};

/**
 * Returns the text of an error for display. For some codes the advice is the error's own message, or that of its first
 * issue. Anything but a CausewayError is described as a fault of the page.
 */
export function explainError(error: unknown): ErrorText {
  if (!(error instanceof CausewayError)) {
    const advice = "Load the page again. Nothing was sent by it.";
    return { title: "Something went wrong on this page", advice, reference: null };
  }
  const [title, advice] = WORDS[error.code] ?? ["This did not work", ""];
  const text = advice === "" ? sentence(error) : advice;
  return { title, advice: text, reference: error.requestId };
}

/** Returns an error's message as a sentence. If it has issues, the message about the first one. */
function sentence({ issues, message }: CausewayError): string {
  return toSentence(issues[0]?.msg ?? message);
}
