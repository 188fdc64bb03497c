import type { ApiErrorCode } from "./api-types.generated.ts";

/** Error code that the client assigns, where the API gives none. */
export type ClientErrorCode =
  /** The API rejected the input or it cannot be written as JSON (see `issues`), or `url` or `wallet` is invalid. */
  | "invalid_input"
  /** The API gave no usable response. */
  | "network"
  /** The caller's signal aborted. */
  | "aborted"
  /** The user declined in the wallet. */
  | "user_rejected"
  /** The wallet does not use the order's account, or no account is connected. */
  | "wrong_account"
  /** The order is already being executed, in this page or in another tab. */
  | "in_progress"
  /** The account does not hold what the order pays. */
  | "insufficient_balance"
  /** The user approved less in the wallet than the order pays. */
  | "insufficient_allowance"
  /** The wallet is on another chain, cannot switch to the step's, or answers with an error when asked for its chain. */
  | "chain_unavailable"
  /** A transaction was included and reverted. */
  | "transaction_reverted"
  /** The user cancelled the transaction in the wallet. */
  | "transaction_cancelled"
  /** Another transaction took the place of the sent one. */
  | "transaction_replaced"
  /** The wallet has sent or may have sent a transaction or a batch, which may still be executed. */
  | "outcome_unknown"
  /**
   * Any other failure of the wallet, a step that cannot be given to it, or an unknown outcome of a transaction that can
   * be repeated without harm, such as an approval: it may still be executed.
   */
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

/** Optional fields of a new `CausewayError`, whose fields of the same names describe them. */
export interface CausewayErrorDetails {
  status?: number;
  requestId?: string | null;
  members?: Readonly<Record<string, unknown>>;
  issues?: readonly InputIssue[];
  cause?: unknown;
}

/**
 * The error that the client throws. `code` is stable; the message is for display. Errors of a wallet function and of
 * callbacks propagate unchanged.
 */
export class CausewayError extends Error {
  override readonly name = "CausewayError";
  /** An error code of the API (`/docs/errors`) or of the client. */
  readonly code: ApiErrorCode | ClientErrorCode;
  /** HTTP status of the API's error response, or null without one that could be read. */
  readonly status: number | null;
  /** Id of the request that the API refused, for support inquiries, or null if the error has none. */
  readonly requestId: string | null;
  /** Additional fields of the API's error as it names them, such as `min_deposit`, `retry_after` or `reasons`. */
  readonly members: Readonly<Record<string, unknown>>;
  /** Validation issues of an `invalid_input` error that concerns a request; otherwise empty. */
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
