import type { Hex } from "viem";
import type * as z from "zod";
import { type AppError, failure, failureFrom } from "../../errors.ts";
import { type BoundedResponse, boundedFetch, OutsideError } from "../../lib/bounded-fetch.ts";
import { providerPolicy } from "../../lib/circuit-breaker.ts";
import { outcomeOfOutsideError, throughBreaker } from "../../lib/circuit-breaker-call.ts";
import { parseRetryAfter } from "../../lib/parse-retry-after.ts";
import { sleep } from "../../lib/timers.ts";
import type { ProviderScope } from "../provider.ts";
import { noAcrossRoute } from "./across-route.ts";
import { AcrossDepositStatus, AcrossErrorBody, SuggestedFees } from "./across-schemas.ts";

/** The `no_route` reason for each error code of Across's API: its code, and its text for customers. */
const REASON_BY_API_CODE: ReadonlyMap<string, readonly [code: string, detail: string]> = new Map([
  ["AMOUNT_TOO_LOW", ["amount_too_low", "the amount does not cover the bridge's fees"]],
  ["AMOUNT_TOO_HIGH", ["amount_too_high", "the amount exceeds the bridge's current limit"]],
  [
    "ROUTE_NOT_ENABLED",
    ["route_not_enabled", "the bridge does not transfer this token between these chains"],
  ],
  ["INVALID_PARAM", ["route_not_enabled", "the bridge does not support this token or chain"]],
  [
    "SIMULATION_ERROR",
    ["destination_call_failed", "the vault deposit on the destination chain would revert"],
  ],
]);

/**
 * Seconds after which to try again, as reported to the caller, if a 429 response has no usable `Retry-After` header.
 */
const DEFAULT_RETRY_SECONDS = 60;
/** Maximum number of seconds after which to try again, as reported to the caller for a 429 response. */
const MAX_RETRY_SECONDS = 3_600;

/**
 * Converts an error response of Across's API to an AppError: `rate_limited`, `upstream_timeout`, `no_route` for a known
 * reason or a 404 with an error body, otherwise `upstream_unavailable`. `now` is in milliseconds since the epoch.
 * Source: across-protocol/frontend `api/_errors.ts`.
 */
export function failureFromAcrossResponse(response: BoundedResponse, now: number): AppError {
  const { status } = response;
  if (status === 429) {
    const seconds = parseRetryAfter(response.headers.get("retry-after"), now) ?? DEFAULT_RETRY_SECONDS;
    const retryAfter = Math.min(Math.max(seconds, 1), MAX_RETRY_SECONDS);
    return failure("rate_limited", "the bridge's rate limit is exceeded; try again later", {
      retry_after: retryAfter,
    });
  }
  const cause = new OutsideError("status", `the bridge answered ${status}`, { status });
  if (status === 504) return failureFrom("upstream_timeout", "the bridge did not respond in time", cause);
  const body = parseErrorBody(response.text);
  const reason = status === 400 ? REASON_BY_API_CODE.get(body?.code ?? "") : undefined;
  if (reason !== undefined) return noAcrossRoute(...reason);
  if (status === 404 && body !== null)
    return noAcrossRoute("route_not_enabled", "the bridge does not support this token");
  return failureFrom("upstream_unavailable", "the bridge is unavailable; try again later", cause);
}

/**
 * Converts an error of a request to Across's API to an AppError: `upstream_timeout` for a timeout or an open circuit
 * breaker, otherwise `upstream_unavailable`. The caller of the API does not see the cause.
 */
export function failureFromAcrossRequest(error: unknown): AppError {
  return error instanceof OutsideError && error.kind === "timeout"
    ? failureFrom("upstream_timeout", "the bridge did not respond in time", error)
    : failureFrom("upstream_unavailable", "the bridge is unavailable; try again later", error);
}

/**
 * Returns true if a response means that Across's indexer does not know the deposit (yet). Other 404 responses do not
 * mean that.
 */
export function isDepositUnknown(response: BoundedResponse): boolean {
  return response.status === 404 && parseErrorBody(response.text)?.error === "DepositNotFoundException";
}

function parseErrorBody(text: string) {
  try {
    const parsed = AcrossErrorBody.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** Timeout for a quote request to Across's API including its retry, in milliseconds. */
const QUOTE_BUDGET_MS = 5_000;
/** Timeout for a status request to Across's API including its retry, in milliseconds. */
const STATUS_BUDGET_MS = 4_000;
/** Delay before a request to Across's API is retried, in milliseconds. */
const RETRY_DELAY_MS = 250;
/** Maximum size of an Across API response, in bytes; actual responses are about 2 KB. */
const MAX_BYTES = 256 * 1024;

/** Base URL and API key of Across's API. */
export interface AcrossApiSettings {
  /** Base URL without a trailing slash. */
  apiUrl: string;
  /** Sent as a bearer token; absent for requests without a key. */
  apiKey?: string;
}

interface ApiExchange {
  url: string;
  init: RequestInit;
  budgetMs: number;
}

/**
 * Requests a quote from Across's API. `message` is what the recipient of the delivery executes, `0x` for none. Throws
 * `no_route`, `rate_limited`, `upstream_timeout` or `upstream_unavailable`. Source: Across API `suggested-fees`.
 */
export async function fetchSuggestedFees(
  scope: ProviderScope,
  ask: { settings: AcrossApiSettings; query: Record<string, string>; message: Hex },
): Promise<SuggestedFees> {
  const { settings, query, message } = ask;
  const url = `${settings.apiUrl}/suggested-fees?${new URLSearchParams(query)}`;
  const init = message === "0x" ? getInit(settings) : postInit(settings, { message });
  const response = await sendWithRetry(scope, { url, init, budgetMs: QUOTE_BUDGET_MS });
  if (response.status !== 200) throw failureFromAcrossResponse(response, scope.now());
  return parseBody(response.text, SuggestedFees);
}

/** A transfer, by its source transaction (of several in one, the API describes any) or by its own number. */
type DepositKey = { txHash: Hex } | { originChainId: number; depositId: bigint };

/**
 * Requests the status of a transfer from Across's API; null if the API does not know it yet.
 * Throws `no_route`, `rate_limited`, `upstream_timeout` or `upstream_unavailable`. Source: `deposit/status`.
 */
export async function fetchDepositStatus(
  scope: ProviderScope,
  ask: { settings: AcrossApiSettings } & DepositKey,
): Promise<AcrossDepositStatus | null> {
  const query = new URLSearchParams(
    "txHash" in ask
      ? { depositTxnRef: ask.txHash }
      : { originChainId: `${ask.originChainId}`, depositId: `${ask.depositId}` },
  );
  const url = `${ask.settings.apiUrl}/deposit/status?${query}`;
  const response = await sendWithRetry(scope, {
    url,
    init: getInit(ask.settings),
    budgetMs: STATUS_BUDGET_MS,
  });
  if (isDepositUnknown(response)) return null;
  if (response.status !== 200) throw failureFromAcrossResponse(response, scope.now());
  return parseBody(response.text, AcrossDepositStatus);
}

const authorization = ({ apiKey }: AcrossApiSettings): Record<string, string> =>
  apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };

function getInit(settings: AcrossApiSettings): RequestInit {
  return { headers: { accept: "application/json", ...authorization(settings) } };
}

function postInit(settings: AcrossApiSettings, body: unknown): RequestInit {
  const headers = { ...authorization(settings), "content-type": "application/json" };
  return { method: "POST", headers, body: JSON.stringify(body) };
}

/**
 * Sends a request, and once more after a network error or a 5xx response if time is left. Only for requests without
 * side effects. Throws `upstream_timeout` or `upstream_unavailable` if the last attempt gets no response.
 */
async function sendWithRetry(scope: ProviderScope, request: ApiExchange): Promise<BoundedResponse> {
  const { url, init } = request;
  const startedAt = scope.now();
  const budgetMs = Math.min(request.budgetMs, (scope.deadline ?? Number.POSITIVE_INFINITY) - startedAt);
  const attempt = (): Promise<BoundedResponse> => {
    const timeoutMs = Math.max(1, Math.floor(budgetMs - (scope.now() - startedAt)));
    const bounds = { timeoutMs, maxBytes: MAX_BYTES };
    const work = () => scope.timing.track("provider", () => boundedFetch(scope.fetch, { url, init, bounds }));
    const breaker = scope.breakers?.of("across", providerPolicy);
    return throughBreaker(breaker, { work, outcomeOf: outcomeOfOutsideError });
  };
  const hasRoom = (): boolean => budgetMs - (scope.now() - startedAt) > 2 * RETRY_DELAY_MS;
  try {
    const first = await attempt().catch((error: unknown) => {
      if (error instanceof OutsideError && error.kind === "network" && hasRoom()) return null;
      throw error;
    });
    if (first !== null && (first.status < 500 || !hasRoom())) return first;
    await sleep(RETRY_DELAY_MS);
    return await attempt();
  } catch (error) {
    throw failureFromAcrossRequest(error);
  }
}

/**
 * Parses a response body with a schema. Throws `upstream_unavailable` if it is not JSON or does not match the
 * schema.
 */
function parseBody<T extends z.ZodType>(text: string, schema: T): z.output<T> {
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw failureFrom("upstream_unavailable", "the bridge returned an unreadable response", error);
  }
}
