import type * as z from "zod";
import { type BoundedResponse, boundedFetch } from "../../lib/bounded-fetch.ts";
import { providerPolicy } from "../../lib/circuit-breaker.ts";
import { outcomeOfOutsideError, throughBreaker } from "../../lib/circuit-breaker-call.ts";
import { exchangeRateLimited, exchangeRequestFailure } from "../exchange-failures.ts";
import type { ProviderScope } from "../provider.ts";
import { failureFromVeloraResponse, veloraRejection } from "./velora-errors.ts";
import { VeloraErrorBody } from "./velora-schemas.ts";

/** Timeout of one request to Velora's API, in milliseconds. */
const VELORA_TIMEOUT_MS = 2_000;
/** Maximum size of a response of Velora's API, in bytes; a route over many pools has some hundred kilobytes. */
const MAX_BYTES = 1024 * 1024;

/** A GET request to Velora's API, with the schema of its response. */
interface VeloraRequest<S extends z.ZodType> {
  path: "/prices" | "/swap";
  query: URLSearchParams;
  schema: S;
}

/** HTTP client of Velora's API. */
export interface VeloraClient {
  /**
   * Sends a GET request and returns its parsed response. The timeout is 2 seconds, or the rest of the caller's
   * deadline; there is no retry, because other providers quote the same transfer. Throws `no_route`, `rate_limited`,
   * `upstream_rejected`, `upstream_unavailable` or `upstream_timeout`. The error texts never contain text from Velora.
   */
  ask<S extends z.ZodType>(scope: ProviderScope, request: VeloraRequest<S>): Promise<z.infer<S>>;
}

/**
 * Creates the client of Velora's API. After a 429 response it throws `rate_limited` without sending requests until the
 * waiting time (see `exchangeWaitSeconds`) is over; it has no other state. `apiUrl` is `https://api.paraswap.io`, or an
 * emulator of it.
 */
export function createVeloraClient({ apiUrl }: { apiUrl: string }): VeloraClient {
  const base = apiUrl.replace(/\/+$/, "");
  let limitedUntil = 0;
  return {
    async ask(scope, { path, query, schema }) {
      const now = scope.now();
      if (limitedUntil > now) throw exchangeRateLimited(Math.ceil((limitedUntil - now) / 1000));
      const response = await send(scope, `${base}${path}?${query}`);
      if (response.status === 200) return readResponse(response, { path, schema, now: scope.now() });
      const refused = failureFromVeloraResponse(response, scope.now());
      if (refused.code === "rate_limited")
        limitedUntil = scope.now() + Number(refused.members.retry_after) * 1000;
      throw refused;
    },
  };
}

async function send(scope: ProviderScope, url: string): Promise<BoundedResponse> {
  const left = (scope.deadline ?? Number.POSITIVE_INFINITY) - scope.now();
  const timeoutMs = Math.floor(Math.max(1, Math.min(VELORA_TIMEOUT_MS, left)));
  const init = { headers: { accept: "application/json" } };
  const bounds = { timeoutMs, maxBytes: MAX_BYTES };
  const work = () => scope.timing.track("provider", () => boundedFetch(scope.fetch, { url, init, bounds }));
  const breaker = scope.breakers?.of("velora", providerPolicy);
  try {
    return await throughBreaker(breaker, { work, outcomeOf: outcomeOfOutsideError });
  } catch (error) {
    throw exchangeRequestFailure(error);
  }
}

/**
 * Parses the body of a response with status 200. An error text in it counts as an error status of 400. Throws
 * `upstream_unavailable` if it is not JSON, and `upstream_rejected` if it does not match the schema.
 */
function readResponse<S extends z.ZodType>(
  response: BoundedResponse,
  { path, schema, now }: { path: string; schema: S; now: number },
): z.infer<S> {
  const json = parseJson(response.text);
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  if (VeloraErrorBody.safeParse(json).success)
    throw failureFromVeloraResponse({ ...response, status: 400 }, now);
  throw veloraRejection(`answer of ${path}: ${parsed.error.issues[0]?.path.join(".") ?? "shape"}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw exchangeRequestFailure(error);
  }
}
