import type { ApiErrorCode } from "./api-types.generated.ts";

/**
 * Code of an error that arises in the client. `invalid_input`: the API rejected the input, or it cannot be written as
 * JSON, see `issues`; `network`: no usable response; `aborted`: the caller's signal aborted; `user_rejected`: the user
 * declined in the wallet; `wrong_account`: the order is for an account other than the wallet's, or no account is
 * connected; `in_progress`: the order is already being executed, in this page or in another tab;
 * `insufficient_balance`: the account does not hold what the order pays; `insufficient_allowance`: the user approved
 * less in the wallet than the order pays; `chain_unavailable`: the wallet cannot switch to the chain;
 * `transaction_reverted`: a transaction was included and reverted; `transaction_cancelled`, `transaction_replaced`: the
 * user cancelled it in the wallet, or another transaction took its place; `outcome_unknown`: the wallet has sent or may
 * have sent a transaction or a batch, and its outcome is unknown, for example because the wallet's response was lost or
 * no receipt was found in time, so it may still be executed; `wallet_failed`: any other failure of the wallet, or a
 * step that cannot be given to it.
 */
export type ClientErrorCode =
  | "invalid_input"
  | "network"
  | "aborted"
  | "user_rejected"
  | "wrong_account"
  | "in_progress"
  | "insufficient_balance"
  | "insufficient_allowance"
  | "chain_unavailable"
  | "transaction_reverted"
  | "transaction_cancelled"
  | "transaction_replaced"
  | "outcome_unknown"
  | "wallet_failed";

/**
 * One validation issue of an input: the location of the field in the request, an explanation, and the kind of the
 * issue.
 */
export interface InputIssue {
  loc: (string | number)[];
  msg: string;
  type: string;
}

/**
 * Optional fields of a new `CausewayError`, whose fields of the same names describe them. Omitted ones become null or
 * empty there.
 */
export interface CausewayErrorDetails {
  status?: number;
  requestId?: string | null;
  members?: Readonly<Record<string, unknown>>;
  issues?: readonly InputIssue[];
  cause?: unknown;
}

/**
 * The error that the client throws. `code` is stable; the message is for display. Errors of the application's own
 * functions (wallet function and callbacks) propagate unchanged.
 */
export class CausewayError extends Error {
  override readonly name = "CausewayError";
  /** An error code of the API (`/docs/errors`) or of the client. */
  readonly code: ApiErrorCode | ClientErrorCode;
  /** HTTP status, or null if the API did not return an error response. */
  readonly status: number | null;
  /** Id of the request, for support inquiries, or null if none is known. */
  readonly requestId: string | null;
  /** Additional fields of the API's error, such as `min_deposit`, `retry_after` or `reasons`. */
  readonly members: Readonly<Record<string, unknown>>;
  /** Validation issues of an `invalid_input` error; otherwise empty. */
  readonly issues: readonly InputIssue[];

  constructor(code: CausewayError["code"], message: string, details: CausewayErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.code = code;
    this.status = details.status ?? null;
    this.requestId = details.requestId ?? null;
    this.members = details.members ?? {};
    this.issues = details.issues ?? [];
  }
}
