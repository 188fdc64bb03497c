import type { ErrorCode } from "../errors.ts";

/** What quoting and building a deposit can fail with. */
export const buildErrors: readonly ErrorCode[] = [
  "chain_unsupported",
  "token_unsupported",
  "no_route",
  "zero_shares",
  "price_unsafe",
  "price_stale",
  "would_revert",
  "not_allowed",
  "share_locked",
  "below_minimum",
  "above_maximum",
  "partner_mismatch",
  "vault_not_enrolled",
  "vault_not_found",
  "deposit_not_found",
  "vault_paused",
  "upstream_unavailable",
  "upstream_rejected",
  "store_unavailable",
  "simulation_unavailable",
  "upstream_timeout",
];
