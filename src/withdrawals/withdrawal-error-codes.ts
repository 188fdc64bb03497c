import type { ErrorCode } from "../errors.ts";

/** Error codes of quoting and building a withdrawal, without those of idempotency keys and of every request. */
export const withdrawBuildErrors: readonly ErrorCode[] = [
  "chain_unsupported",
  "token_unsupported",
  "no_route",
  "price_unsafe",
  "price_stale",
  "would_revert",
  "not_allowed",
  "share_locked",
  "below_minimum",
  "no_liquidity",
  "cooldown",
  "exits_paused",
  "nothing_to_withdraw",
  "request_pending",
  "mode_unsupported",
  "authorization_unsupported",
  "partner_mismatch",
  "key_forbidden",
  "vault_not_enrolled",
  "vault_not_found",
  "upstream_unavailable",
  "upstream_rejected",
  "store_unavailable",
  "simulation_unavailable",
  "upstream_timeout",
];

/**
 * Error codes of claiming and cancelling a redemption request (`buildRequestAction`), without those of every request.
 */
export const exitRequestErrors: readonly ErrorCode[] = [
  "chain_unsupported",
  "vault_not_found",
  "mode_unsupported",
  "nothing_to_withdraw",
  "cooldown",
  "request_pending",
  "withdrawal_state",
  "exits_paused",
  "no_liquidity",
  "below_minimum",
  "not_allowed",
  "price_unsafe",
  "would_revert",
  "upstream_unavailable",
  "upstream_rejected",
  "store_unavailable",
  "simulation_unavailable",
  "upstream_timeout",
];

/**
 * Error codes, besides `would_revert`, with which a signed order that redeems shares can be refused because of the
 * vault (`explainSignedExit`).
 */
export const signedExitErrors: readonly ErrorCode[] = [
  "price_unsafe",
  "price_stale",
  "not_allowed",
  "share_locked",
  "below_minimum",
  "no_liquidity",
  "cooldown",
  "exits_paused",
  "nothing_to_withdraw",
  "request_pending",
  "mode_unsupported",
  "token_unsupported",
  "vault_not_found",
  "upstream_rejected",
];

/**
 * Error codes that two operations on a withdrawal with a signed order share: completing it with the signature, and
 * cancelling the order. Completing it can also return `authorization_unsupported` and `signedExitErrors`.
 */
export const signedWithdrawalErrors: readonly ErrorCode[] = [
  "withdrawal_not_found",
  "withdrawal_state",
  "quote_expired",
  "signature_invalid",
  "would_revert",
  "chain_unsupported",
  "upstream_unavailable",
  "upstream_timeout",
  "simulation_unavailable",
  "store_unavailable",
];
