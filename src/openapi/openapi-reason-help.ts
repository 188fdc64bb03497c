import type { ErrorHelp } from "./openapi-error-help.ts";

/**
 * Explanation of a code that appears in `reasons`, `next_refusal` or `warnings` of a response, but never as the code of
 * a problem document.
 */
export interface ReasonHelp extends ErrorHelp {
  /** Where the code appears. */
  where: "reasons" | "next_refusal" | "warnings";
}

/** Cause and remedy of codes that appear only in `reasons`, `next_refusal` or `warnings`, by code. */
export const reasonHelp: Readonly<Record<string, ReasonHelp>> = {
  amount_too_high: {
    where: "reasons",
    cause: "The amount is more than the bridge transfers at once.",
    remedy: "Send a smaller amount, or split it into several deposits or withdrawals.",
  },
  amount_shared: {
    where: "warnings",
    cause:
      "The vault paid several requests of the account together, and nothing shows the exact part of this one.",
    remedy:
      "Sign the step, which takes a part that no other request has; swap or bridge the rest from the wallet.",
  },
  amount_too_low: {
    where: "reasons",
    cause: "The bridge's fees leave too little of this amount.",
    remedy: "Send a larger amount.",
  },
  amount_unknown: {
    where: "next_refusal",
    cause: "The vault paid several requests of the account together, and the claim does not show how much.",
    remedy: "The payment is in the account: swap or bridge it from the wallet.",
  },
  approval_unused: {
    where: "warnings",
    cause:
      "The vault demands an approval of more shares than it takes, so that a part of it stays after the withdrawal, or may stay.",
    remedy: "Approve zero to the spender that the text names once the withdrawal is done.",
  },
  asset_unsupported: {
    where: "reasons",
    cause: "The bridge does not carry this token between these chains.",
    remedy: "Pay with another token, or withdraw to another one; `GET /v1/tokens` lists them.",
  },
  balance_insufficient: {
    where: "next_refusal",
    cause: "The account no longer holds the amount that was delivered or paid to it.",
    remedy: "Deposit what is left with a new order, or swap or bridge it from the wallet.",
  },
  bridge_excluded: {
    where: "reasons",
    cause: "The provider's bridge was skipped, because `preferred_bridge` names another one.",
    remedy: "Omit `preferred_bridge`.",
  },
  bridge_unavailable: {
    where: "reasons",
    cause:
      "No bridge or exchange transfers the token that is paid to a token that the vault accepts, or the vault's payment to the requested token.",
    remedy:
      "Pay with another token or from another chain; or withdraw to another token, such as the one that the vault pays.",
  },
  claim_shared: {
    where: "next_refusal",
    cause: "One claim collects several requests; it is the next step of the oldest one.",
    remedy: "Send the claim of the deposit or withdrawal that the text names.",
  },
  continued: {
    where: "next_refusal",
    cause: "A deposit with this one as its parent has taken what was delivered.",
    remedy: "Follow the deposit that the text names; this one is completed with it.",
  },
  delivery_unsupported: {
    where: "reasons",
    cause:
      "What this route delivers cannot be deposited into the vault; or no route delivers the vault's payment as the withdrawal or move needs it.",
    remedy: "Pay with another token, or withdraw what the vault pays and swap or bridge it afterwards.",
  },
  destination_call_failed: {
    where: "reasons",
    cause: "The deposit that the bridge makes on arrival failed in the simulation, or needs too much gas.",
    remedy: "Repeat the request, or choose another token or vault.",
  },
  destination_call_unsupported: {
    where: "reasons",
    cause: "The bridge cannot make the deposit on arrival, so the deposit takes two steps.",
    remedy: "No action is needed: the response contains the second step.",
  },
  exchange_unavailable: {
    where: "reasons",
    cause: "No exchange swaps this token on this chain.",
    remedy: "Pay with another token, or withdraw to another one; `GET /v1/tokens` lists them.",
  },
  exit_fee: {
    where: "warnings",
    cause: "The vault keeps an exit fee of more than the slippage tolerance of the shares' value.",
    remedy: "Compare `assets` with what the shares are worth before you sign.",
  },
  fees_exceed_amount: {
    where: "reasons",
    cause: "The fees are higher than the amount.",
    remedy: "Send a larger amount.",
  },
  insufficient_liquidity: {
    where: "reasons",
    cause: "The exchange or bridge has too little liquidity for this amount.",
    remedy: "Send a smaller amount.",
  },
  minimum_not_guaranteed: {
    where: "reasons",
    cause: "The route cannot guarantee the minimum that the slippage tolerance demands.",
    remedy: "Raise `slippage`, or pay with, or withdraw to, another token.",
  },
  mode_changed: {
    where: "warnings",
    cause: "The vault refuses an instant payment now, so `auto` has chosen a request or cooldown.",
    remedy:
      "Ask the user whether to wait for the payment. With `mode` `instant`, the build is refused instead; a smaller amount may be paid at once.",
  },
  no_minimum: {
    where: "warnings",
    cause: "No contract enforces a minimum for what the vault pays in this transaction.",
    remedy: "Send it soon: the vault may pay less if its price falls before the transaction is included.",
  },
  not_cancellable: {
    where: "warnings",
    cause: "The withdrawal is a request or cooldown, which the user can never take back.",
    remedy:
      "Ask the user before the step is signed. If the text says that a rejected request returns nothing on chain, only the vault's operator can return the value.",
  },
  shares_sold: {
    where: "warnings",
    cause:
      "The shares of the move cannot be redeemed and deposited in this transaction, so an exchange buys them.",
    remedy: "Show the user what the exchange pays. To be paid by the vault, withdraw first, then deposit.",
  },
  no_quote: {
    where: "reasons",
    cause: "The provider has no route for this transfer.",
    remedy: "Try another token, chain or amount.",
  },
  not_processable: {
    where: "reasons",
    cause: "The provider cannot process this transfer.",
    remedy: "Try another token, chain or amount.",
  },
  pays_less: {
    where: "warnings",
    cause:
      "The claim pays at least 0.5 % less than the vault states, or the cancellation of an expired request fewer shares.",
    remedy:
      "Compare `received` of the simulation with the request before you sign; the vault may pay more later.",
  },
  price_unverified: {
    where: "warnings",
    cause: "No price of the tokens is known; a second provider agreed with the offer.",
    remedy: "Compare the expected amounts yourself before you sign.",
  },
  rate_unverified: {
    where: "warnings",
    cause:
      "The vault takes or pays a token that is not its asset, and no prices that agree are known for both tokens; or, in a withdrawal, the vault does not state its rate.",
    remedy:
      "Compare the amounts in US dollars yourself before you sign, or pay or withdraw the vault's asset.",
  },
  received_unknown: {
    where: "warnings",
    cause: "What the claim or cancellation brings could not be read in its simulation.",
    remedy:
      "Compare what the request states with the vault's own site before you sign, or repeat the request later.",
  },
  receiver_without_code: {
    where: "warnings",
    cause:
      "The user's account is a contract on the chain where it pays, and no code of it was found on the chain where it is paid.",
    remedy:
      "Do not sign unless you control this address on that chain, for example because you can deploy it.",
  },
  recipient_unsupported: {
    where: "reasons",
    cause: "The bridge cannot deliver to this account.",
    remedy: "Choose another bridge.",
  },
  request_gone: {
    where: "next_refusal",
    cause: "The vault no longer has this request, and no payment or shares for it were found.",
    remedy:
      "Read again in a minute: what replaced, ended or paid it may not have been read yet. After that, ask the vault's curator what happened to the request.",
  },
  request_refused: {
    where: "reasons",
    cause: "The provider does not accept this transfer.",
    remedy: "Try another token, chain or amount.",
  },
  route_not_enabled: {
    where: "reasons",
    cause: "The bridge has disabled this route between the chains.",
    remedy: "Try another bridge, token or chain.",
  },
  request_unverified: {
    where: "warnings",
    cause: "The nodes of this chain do not show in a simulation whether the vault records the request.",
    remedy: "Request a small part first, and look for it in `requests` of `GET /v1/actions`.",
  },
  route_unknown: {
    where: "warnings",
    cause:
      "The vault pays this withdrawal later, and whether a bridge or exchange takes the payment to the requested token is unknown now.",
    remedy:
      "Withdraw what the vault pays, without `to_token` and `to_chain_id`, or be ready to keep that token.",
  },
  same_chain: {
    where: "reasons",
    cause: "The bridge transfers only between different chains.",
    remedy: "No action is needed: swaps on one chain use exchanges instead.",
  },
  slippage: {
    where: "reasons",
    cause: "The bridge costs more than the slippage tolerance allows.",
    remedy: "Raise `slippage`, or send a larger amount.",
  },
  slippage_exceeded: {
    where: "reasons",
    cause: "The price moved by more than the slippage tolerance while the route was built.",
    remedy: "Repeat the request, or raise `slippage`.",
  },
  token_unknown: {
    where: "reasons",
    cause: "The provider does not know the token.",
    remedy: "Pay with another token, or withdraw to another one; `GET /v1/tokens` lists them.",
  },
  tool_unavailable: {
    where: "reasons",
    cause: "The exchange or bridge did not respond.",
    remedy: "Repeat the request later.",
  },
  transaction_not_built: {
    where: "reasons",
    cause: "The provider offered a route and then did not build its transaction.",
    remedy: "Repeat the request.",
  },
};
