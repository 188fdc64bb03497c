import type * as z from "zod";
import { type BoundedResponse, boundedFetch } from "../../../lib/bounded-fetch.ts";
import { providerPolicy } from "../../../lib/circuit-breaker.ts";
import { outcomeOfOutsideError, throughBreaker } from "../../../lib/circuit-breaker-call.ts";
import { sleep } from "../../../lib/timers.ts";
import type { ProviderScope } from "../../provider.ts";
import {
  failureFromLifiRequest,
  failureFromLifiResponse,
  lifiRateLimited,
  lifiRejection,
} from "./lifi-errors.ts";
import type { EndpointFamily, RateLimitMemory } from "./lifi-rate-limits.ts";

/** Timeout for a quote or list request to LI.FI including its retry, in milliseconds. */
export const QUOTE_TIMEOUT_MS = 8_000;
/** Timeout for a status request to LI.FI including its retry, in milliseconds. */
export const STATUS_TIMEOUT_MS = 4_000;
/** Maximum size of a LI.FI response, in bytes. */
const MAX_BYTES = 4 * 1024 * 1024;
/**
 * Pause before the only retry, in milliseconds. Only status 500 is retried, as in LI.FI's SDK. Source: @lifi/sdk,
 * request.ts.
 */
const RETRY_PAUSE_MS = 500;
/** Minimum time that must remain to start a retry, in milliseconds. */
const MIN_ATTEMPT_MS = 250;

/** A request to LI.FI's API, with the schema of its response. */
export interface LifiRequest<S extends z.ZodType> {
  /** Group of endpoints whose rate limit and circuit breaker apply. */
  family: EndpointFamily;
  /** Path below the base URL, without the query. */
  path: string;
  query?: Readonly<Record<string, string>>;
  /** Body that is sent as JSON by POST; absent for a GET request. */
  body?: unknown;
  /** Timeout including the retry, in milliseconds; the caller's deadline may shorten it. */
  timeoutMs: number;
  /** Schema of the body of a 200 response. */
  schema: S;
  /** Result for a 404 response, for endpoints where 404 is not a failure. */
  notFound?: z.infer<S>;
}

/** HTTP client of LI.FI's API, with its timeouts, retries and rate limits. */
export interface LifiClient {
  /**
   * Sends a request and returns its parsed response; after status 500 it may be sent once more. Throws `no_route` (not
   * for the endpoints `other`), `rate_limited`, `upstream_rejected`, `upstream_unavailable` or `upstream_timeout`,
   * with no text from LI.FI in their messages.
   */
  ask<S extends z.ZodType>(scope: ProviderScope, request: LifiRequest<S>): Promise<z.infer<S>>;
}

/**
 * Creates the client of LI.FI's API. `apiUrl` is `https://li.quest/v1`, or an emulator of it; no key is sent if
 * `apiKey` is null. While a rate limit in `rateLimits` is in force, requests of its group throw `rate_limited` unsent.
 */
export function createLifiClient(options: {
  apiUrl: string;
  apiKey: string | null;
  rateLimits: RateLimitMemory;
}): LifiClient {
  const { apiKey, rateLimits } = options;
  const base = options.apiUrl.replace(/\/+$/, "");
  return {
    async ask(scope, request) {
      const wait = rateLimits.waitSeconds(request.family, scope.now());
      if (wait !== null) throw lifiRateLimited(wait);
      const url = `${base}${request.path}${toQuery(request.query)}`;
      const init = toInit(request.body, apiKey);
      const left = (scope.deadline ?? Number.POSITIVE_INFINITY) - scope.now();
      const timeoutMs = Math.max(1, Math.min(request.timeoutMs, left));
      const response = await send(scope, { family: request.family, url, init, timeoutMs });
      rateLimits.record(request.family, { ...response, now: scope.now() });
      return readResponse(response, { ...request, now: scope.now() });
    },
  };
}

function toQuery(query: Readonly<Record<string, string>> | undefined): string {
  return query === undefined ? "" : `?${new URLSearchParams(query)}`;
}

function toInit(body: unknown, apiKey: string | null): RequestInit {
  const headers: Record<string, string> = { accept: "application/json" };
  if (apiKey !== null) headers["x-lifi-api-key"] = apiKey;
  if (body === undefined) return { headers };
  headers["content-type"] = "application/json";
  return { method: "POST", headers, body: JSON.stringify(body) };
}

interface OutgoingRequest {
  family: EndpointFamily;
  url: string;
  init: RequestInit;
  timeoutMs: number;
}

/**
 * Sends a request to LI.FI and, if the response has status 500 and enough time remains, sends it once more.
 */
async function send(scope: ProviderScope, sending: OutgoingRequest): Promise<BoundedResponse> {
  const startedAt = scope.now();
  const first = await attempt(scope, sending);
  if (first.status !== 500) return first;
  const left = sending.timeoutMs - (scope.now() - startedAt) - RETRY_PAUSE_MS;
  if (left < MIN_ATTEMPT_MS) return first;
  await sleep(RETRY_PAUSE_MS);
  return attempt(scope, { ...sending, timeoutMs: left });
}

/**
 * Sends a request to LI.FI once. Throws `upstream_timeout` or `upstream_unavailable` if there is no response within
 * time and size limits.
 */
async function attempt(scope: ProviderScope, sending: OutgoingRequest): Promise<BoundedResponse> {
  const bounds = { timeoutMs: sending.timeoutMs, maxBytes: MAX_BYTES };
  try {
    const work = () =>
      scope.timing.track("provider", () =>
        boundedFetch(scope.fetch, { url: sending.url, init: sending.init, bounds }),
      );
    const breaker = scope.breakers?.of(`lifi:${sending.family}`, providerPolicy);
    return await throughBreaker(breaker, { work, outcomeOf: outcomeOfOutsideError });
  } catch (error) {
    throw failureFromLifiRequest(error);
  }
}

/**
 * Returns the parsed body of a LI.FI response. Throws the AppError that corresponds to an error status. For a 200
 * response it throws `upstream_unavailable` if the body is not JSON, `upstream_rejected` if it does not match the
 * schema.
 */
function readResponse<S extends z.ZodType>(
  response: BoundedResponse,
  request: LifiRequest<S> & { now: number },
): z.infer<S> {
  if (response.status === 404 && request.notFound !== undefined) return request.notFound;
  if (response.status !== 200) {
    const failure = failureFromLifiResponse({ ...response, now: request.now });
    throw request.family === "other" && failure.code === "no_route"
      ? failureFromLifiRequest(failure.cause)
      : failure;
  }
  const parsed = request.schema.safeParse(parseJson(response.text));
  if (parsed.success) return parsed.data;
  throw lifiRejection(`answer of ${request.path}: ${parsed.error.issues[0]?.path.join(".") ?? "shape"}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw failureFromLifiRequest(error);
  }
}
