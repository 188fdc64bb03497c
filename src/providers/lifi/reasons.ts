/** Why there is no route, in our words. */
export const routeReasons = {
  bridge_unavailable: "no bridge that can be verified serves this transfer",
  token_unknown: "the provider does not know the token or the chain",
  request_refused: "the provider does not take this transfer",
  no_quote: "the provider has no quote for this transfer",
  transaction_not_built:
    "the provider could not build a transaction; the paying account may lack the balance",
  not_processable: "the provider cannot process this transfer",
  slippage_exceeded: "the price moves by more than the slippage allows",
  insufficient_liquidity: "there is not enough liquidity for this amount",
  amount_too_low: "the amount is too low",
  amount_too_high: "the amount is too high",
  fees_exceed_amount: "the fees are higher than the amount",
  recipient_unsupported: "the bridge does not deliver to this recipient",
  minimum_not_guaranteed: "the bridge cannot guarantee a minimum",
  tool_unavailable: "the bridge or exchange did not answer",
} as const;

export type RouteReason = keyof typeof routeReasons;

/** Upstream tool codes; the misspelt one was used until 2024. Source: docs.li.fi, error codes. */
const toolReasons: Readonly<Record<string, RouteReason>> = {
  NO_POSSIBLE_ROUTE: "no_quote",
  INSUFFICIENT_LIQUIDITY: "insufficient_liquidity",
  TOOL_TIMEOUT: "tool_unavailable",
  UNKNOWN_ERROR: "tool_unavailable",
  RPC_ERROR: "tool_unavailable",
  RATE_LIMIT_EXCEEDED: "tool_unavailable",
  AMOUNT_TOO_LOW: "amount_too_low",
  AMOUNT_TOO_HIGH: "amount_too_high",
  FEES_HIGHER_THAN_AMOUNT: "fees_exceed_amount",
  FEES_HGHER_THAN_AMOUNT: "fees_exceed_amount",
  DIFFERENT_RECIPIENT_NOT_SUPPORTED: "recipient_unsupported",
  TOOL_SPECIFIC_ERROR: "no_quote",
  CANNOT_GUARANTEE_MIN_AMOUNT: "minimum_not_guaranteed",
};

/** The reason behind a tool's code; an unknown one only says that it had no quote. */
export function toolReason(code: string): RouteReason {
  return (Object.hasOwn(toolReasons, code) ? toolReasons[code] : undefined) ?? "no_quote";
}
