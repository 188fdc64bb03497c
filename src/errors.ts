/**
 * Every error code of the API with its HTTP status, its title and whether the same request may succeed later
 * (`retryable`). The OpenAPI document and /docs/errors are generated from this table.
 */
export const errorTable = {
  route_not_found: { status: 404, title: "No such endpoint", retryable: false },
  vault_not_found: { status: 404, title: "No such vault", retryable: false },
  deposit_not_found: { status: 404, title: "No such deposit", retryable: false },
  signal_not_found: { status: 404, title: "No such signal", retryable: false },
  application_not_found: { status: 404, title: "No such partner application", retryable: false },
  partner_not_found: { status: 404, title: "No such partner", retryable: false },
  webhook_not_found: { status: 404, title: "No such webhook", retryable: false },
  key_not_found: { status: 404, title: "No such API key", retryable: false },
  withdrawal_not_found: { status: 404, title: "No such withdrawal", retryable: false },
  method_not_allowed: { status: 405, title: "Method not allowed", retryable: false },
  body_too_large: { status: 413, title: "Request body too large", retryable: false },
  chain_unsupported: { status: 400, title: "Chain not supported", retryable: false },
  token_unsupported: { status: 400, title: "Token not supported", retryable: false },
  no_route: { status: 400, title: "No route", retryable: true },
  zero_shares: { status: 400, title: "The deposit would mint no shares", retryable: false },
  price_unsafe: { status: 400, title: "Unsafe price", retryable: true },
  would_revert: { status: 400, title: "The transaction would revert", retryable: true },
  not_allowed: { status: 400, title: "Account not allowed by the vault", retryable: false },
  share_locked: { status: 400, title: "Shares locked by the vault", retryable: true },
  below_minimum: { status: 400, title: "Below the vault's minimum", retryable: false },
  above_maximum: { status: 400, title: "Above the vault's maximum", retryable: true },
  price_stale: { status: 400, title: "The vault's price is stale", retryable: true },
  no_liquidity: { status: 400, title: "Not enough liquidity in the vault", retryable: true },
  cooldown: { status: 400, title: "Cooldown not over", retryable: true },
  exits_paused: { status: 400, title: "Withdrawals paused by the vault", retryable: true },
  nothing_to_withdraw: { status: 400, title: "Nothing to withdraw", retryable: false },
  authorization_unsupported: { status: 400, title: "Signature not possible here", retryable: false },
  request_pending: { status: 400, title: "An earlier request is pending", retryable: true },
  mode_unsupported: { status: 400, title: "Mode not supported by the vault", retryable: false },
  credentials_required: { status: 401, title: "Credentials required", retryable: false },
  credentials_invalid: { status: 401, title: "Invalid credentials", retryable: false },
  session_expired: { status: 401, title: "Session expired", retryable: false },
  nonce_invalid: { status: 401, title: "Invalid nonce", retryable: false },
  signature_invalid: { status: 401, title: "Invalid signature", retryable: false },
  application_required: { status: 403, title: "Partner application required", retryable: false },
  application_pending: { status: 403, title: "Partner application pending", retryable: false },
  application_rejected: { status: 403, title: "Partner application rejected", retryable: false },
  application_revoked: { status: 403, title: "Partner application revoked", retryable: false },
  vault_not_enrolled: { status: 403, title: "Vault not enrolled", retryable: false },
  partner_mismatch: { status: 403, title: "Partner id does not match the API key", retryable: false },
  key_forbidden: { status: 403, title: "Not allowed with this API key", retryable: false },
  partner_exists: { status: 409, title: "Partner already registered", retryable: false },
  application_exists: { status: 409, title: "Partner application already submitted", retryable: false },
  vault_paused: { status: 409, title: "Vault paused", retryable: true },
  idempotency_conflict: { status: 409, title: "Idempotency key reused", retryable: false },
  quote_expired: { status: 409, title: "Quote expired", retryable: false },
  deposit_state: { status: 409, title: "Not possible in the deposit's current state", retryable: false },
  withdrawal_state: {
    status: 409,
    title: "Not possible in the withdrawal's current state",
    retryable: false,
  },
  limit_reached: { status: 409, title: "Limit reached", retryable: false },
  cursor_expired: { status: 410, title: "Cursor expired", retryable: false },
  rate_limited: { status: 429, title: "Too many requests", retryable: true },
  upstream_unavailable: { status: 502, title: "Upstream service unavailable", retryable: true },
  upstream_rejected: { status: 502, title: "Upstream response rejected", retryable: true },
  store_unavailable: { status: 503, title: "Database unavailable", retryable: true },
  simulation_unavailable: { status: 503, title: "Simulation unavailable", retryable: true },
  overloaded: { status: 503, title: "Too many orders in progress", retryable: true },
  upstream_timeout: { status: 504, title: "Upstream timeout", retryable: true },
  internal: { status: 500, title: "Internal error", retryable: true },
} as const satisfies Record<string, { status: number; title: string; retryable: boolean }>;

/** An error code of the API: a key of `errorTable`. */
export type ErrorCode = keyof typeof errorTable;

/** Every error code of the API, in the order of `errorTable`. */
export const errorCodes: readonly ErrorCode[] = Object.keys(errorTable).filter(
  (code): code is ErrorCode => code in errorTable,
);

/**
 * Additional fields in the problem documents (RFC 9457 error responses) of some error codes. Amounts are decimal
 * strings in the smallest unit of the token that the vault takes or pays, null if unknown; `min_deposit` is also null
 * for a withdrawal, `max_deposit` also if the amount does not exceed it.
 */
export interface ErrorMembers {
  /** Why the vault takes no deposits, in plain words, or empty if no reason is known. */
  vault_paused: { reason: string };
  /** Why routes were refused, with codes of the page /docs/errors. */
  no_route: { reasons: readonly { code: string; detail: string }[] };
  /** Decoded revert reason of the simulated transaction, or null if none is given. */
  would_revert: { revert: string | null };
  below_minimum: { min_deposit: string | null };
  above_maximum: { max_deposit: string | null };
  no_liquidity: { available: string | null };
  /** Time at which the cooldown ends, in RFC 3339, or null if unknown. */
  cooldown: { until: string | null };
  /** Time after which the request may be repeated, in seconds. */
  rate_limited: { retry_after: number };
  price_unsafe: { subject: PriceSubject };
  price_stale: { subject: PriceSubject };
}

/**
 * What a price error is about. `vault`: the vault's share price or amounts. `route`: a provider's offer or its
 * simulated output.
 */
export type PriceSubject = "vault" | "route";

/** The trailing argument of `failure` for an error code: its additional fields, or no argument if the code has none. */
type MembersOf<C extends ErrorCode> = C extends keyof ErrorMembers ? [members: ErrorMembers[C]] : [];

/**
 * An error with a public error code. The caller sees `detail` (the message) and `members`, which must not name an
 * upstream service, URL or key, but not `cause`, which is for operators.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly members: Readonly<Record<string, unknown>>;

  constructor(
    code: ErrorCode,
    detail: string,
    options: { members?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.members = options.members ?? {};
  }
}

/**
 * Creates (without throwing) the error for an error code, with the additional fields that the code requires. `detail`
 * is shown to the caller.
 */
export function failure<C extends ErrorCode>(code: C, detail: string, ...members: MembersOf<C>): AppError {
  return new AppError(code, detail, members[0] === undefined ? {} : { members: { ...members[0] } });
}

/** Creates (without throwing) the error of a path that no endpoint has. */
export const noSuchEndpoint = (): AppError =>
  failure("route_not_found", "no endpoint has this path: /docs and /openapi.json describe all of them");

/**
 * Creates (without throwing) an error for an error code without additional fields. `detail` is shown to the caller;
 * `cause` is not.
 */
export function failureFrom(
  code: Exclude<ErrorCode, keyof ErrorMembers>,
  detail: string,
  cause: unknown,
): AppError {
  return new AppError(code, detail, { cause });
}
