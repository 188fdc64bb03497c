import type * as z from "zod";
import type { BoundedResponse } from "../../lib/bounded-fetch.ts";
import type { ProviderScope } from "../provider.ts";
import { exchangeRequestFailure } from "../swap-provider-failures.ts";
import { createExchangeSender } from "../swap-provider-requests.ts";
import { failureFromKyberResponse, kyberRejection } from "./kyber-errors.ts";

/** Base URL of KyberSwap's API and the client id to send. */
export interface KyberApiSettings {
  /** Base URL of the API: `https://aggregator-api.kyberswap.com`, or an emulator of it. */
  apiUrl: string;
  /** Sent as `x-client-id`; KyberSwap limits unnamed clients more strictly. */
  clientId: string;
}

/** A request to KyberSwap's API, with the schema of its response. */
interface KyberRequest<S extends z.ZodType> {
  /** Path, with the chain's name and the query. */
  path: string;
  /** Body that is sent as JSON by POST; absent for a GET request. */
  body?: unknown;
  schema: S;
}

/** HTTP client of KyberSwap's API. */
export interface KyberClient {
  /**
   * Sends a request once and returns its response: `parsed` by the schema, and `json` as received, to be sent back
   * unchanged. Throws `no_route`, `rate_limited`, `upstream_rejected`, `upstream_unavailable` or `upstream_timeout`,
   * with no text from KyberSwap in their messages.
   */
  ask<S extends z.ZodType>(
    scope: ProviderScope,
    request: KyberRequest<S>,
  ): Promise<{ parsed: z.infer<S>; json: unknown }>;
}

/** Creates the client of KyberSwap's API, which remembers only until when a rate limit lasts. */
export function createKyberClient(settings: KyberApiSettings): KyberClient {
  const base = settings.apiUrl.replace(/\/+$/, "");
  const send = createExchangeSender({ name: "kyber", failureFrom: failureFromKyberResponse });
  return {
    async ask(scope, { path, body, schema }) {
      const init = toInit(body, settings.clientId);
      const response = await send(scope, { url: `${base}${path}`, init });
      return readResponse(response, { path, schema, now: scope.now() });
    },
  };
}

function toInit(body: unknown, clientId: string): RequestInit {
  const headers: Record<string, string> = { accept: "application/json", "x-client-id": clientId };
  if (body === undefined) return { headers };
  headers["content-type"] = "application/json";
  return { method: "POST", headers, body: JSON.stringify(body) };
}

/**
 * Parses the body of a response with status 200; one with an error code counts as a response with status 400. Throws
 * `upstream_unavailable` if it is not JSON, and `upstream_rejected` if it does not match the schema.
 */
function readResponse<S extends z.ZodType>(
  response: BoundedResponse,
  { path, schema, now }: { path: string; schema: S; now: number },
): { parsed: z.infer<S>; json: unknown } {
  const json = parseExactJson(response.text);
  const parsed = schema.safeParse(json);
  if (parsed.success) return { parsed: parsed.data, json };
  if (hasErrorCode(json)) throw failureFromKyberResponse({ ...response, status: 400 }, now);
  const field = parsed.error.issues[0]?.path.join(".") ?? "shape";
  throw kyberRejection(`answer of ${path.split("?")[0]}: ${field}`);
}

function hasErrorCode(json: unknown): boolean {
  if (typeof json !== "object" || json === null || !("code" in json)) return false;
  return typeof json.code === "number" && json.code !== 0;
}

/** `JSON.parse` with source text access and `JSON.rawJSON`, which TypeScript's library does not declare yet. */
interface ExactJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
}

/**
 * Parses JSON without losing digits of large numbers: a route has 256-bit integers and is sent back unchanged. Throws
 * `upstream_unavailable` for invalid JSON. Source: ECMAScript proposal JSON.parse source text access.
 */
function parseExactJson(text: string): unknown {
  const json = JSON as unknown as ExactJson;
  try {
    return json.parse(text, (_key, value, { source }) =>
      typeof value === "number" && source !== undefined && source !== String(value)
        ? json.rawJSON(source)
        : value,
    );
  } catch (error) {
    throw exchangeRequestFailure(error);
  }
}
