import type { ApiErrorCode } from "./api-types.generated.ts";
import { CausewayError, type InputIssue } from "./causeway-client-error.ts";
import { decodeModel, encodeBody, encodeModel } from "./client-wire-format.ts";

/** Options of a client of the API. */
export interface CausewayClientOptions {
  /** Origin of the API, such as `https://api.example`; a trailing slash is ignored. */
  url: string;
  /** API key of a partner, for attribution and higher rate limits. Never the secret: a browser would expose it. */
  apiKey?: string;
  /** Timeout of one request, including the body, in milliseconds. Default: 15,000. */
  timeoutMs?: number;
  /** Function that replaces the platform's `fetch`. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/**
 * One request to the API. Names in `query` and `body` are in `camelCase` or `snake_case`, and amounts are `bigint`;
 * undefined fields are omitted. In objects and lists inside the body, names are sent as they are.
 */
export interface ApiRequest {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path, with encoded parameters. */
  path: string;
  query?: Readonly<Record<string, unknown>>;
  body?: Readonly<Record<string, unknown>>;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
}

/** A client of the API. Every action takes one as its first argument. */
export interface CausewayClient {
  readonly url: string;
  /**
   * Sends a request once and returns the decoded response: names in `camelCase` (not inside records such as
   * `typedData`), amounts as `bigint` (not the `value` of a history or signal, which stays text). Throws CausewayError:
   * the API's error, `invalid_input` (with `issues`), `network` (also after the timeout) or `aborted`.
   */
  request(request: ApiRequest): Promise<unknown>;
  /** Like `request`, for one page of a list. Source: the `Link` header of the response. */
  requestPage(request: ApiRequest): Promise<ApiPage>;
}

/** One page of a list. */
export interface ApiPage {
  /** The decoded response. */
  body: unknown;
  /** `cursor` of the next page. Null on the last page, and for a response that is not a list. */
  next: string | null;
}

const TIMEOUT_MS = 15_000;

/**
 * Creates a client of the API. It sends nothing yet, and is stateless: it keeps no session and caches nothing. Throws
 * CausewayError `invalid_input` unless `url` begins with `http://` or `https://` and a host.
 */
export function createCausewayClient(options: CausewayClientOptions): CausewayClient {
  const url = apiUrl(options);
  const send = options.fetch ?? ((target, init) => fetch(target, init));
  const requestPage: CausewayClient["requestPage"] = async (request) => {
    const { method = "GET", path, query = {}, body, headers, signal } = request;
    const timeout = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS);
    const init: RequestInit = {
      method,
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      headers: {
        ...headers,
        ...(options.apiKey === undefined ? {} : { "x-api-key": options.apiKey }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: encodeBody(body) }),
    };
    try {
      const response = await send(`${url}${path}${toQuery(query)}`, init);
      const json: unknown = await response.json();
      if (response.ok) return { body: decodeModel(json), next: nextCursor(response.headers) };
      throw toApiError(response, json);
    } catch (error) {
      if (error instanceof CausewayError) throw error;
      throw signal?.aborted === true
        ? new CausewayError("aborted", "the caller stopped waiting", { cause: error })
        : new CausewayError("network", `the API at ${url} did not answer`, { cause: error });
    }
  };
  return { url, requestPage, request: async (request) => (await requestPage(request)).body };
}

/** Returns the API's URL without slashes at its end. A program without types may pass none. */
function apiUrl({ url }: { url?: unknown }): string {
  if (typeof url === "string" && /^https?:\/\/[^/]/.test(url)) return url.replace(/\/+$/, "");
  throw new CausewayError("invalid_input", "`url` must be that of the API, such as https://api.example");
}

/** Returns the cursor in the URL that the `Link` header names as the next page (RFC 8288), or null without one. */
function nextCursor(headers: Headers): string | null {
  const [, query] = /<[^>]*\?([^>]*)>; *rel="?next"?/.exec(headers.get("link") ?? "") ?? [];
  return query === undefined ? null : new URLSearchParams(query).get("cursor");
}

function toQuery(query: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(encodeModel(query)).map(([name, value]) => [name, String(value)]);
  const sorted = new URLSearchParams(entries);
  // The API's cache near the caller stores one order of the parameters.
  sorted.sort();
  return entries.length === 0 ? "" : `?${sorted}`;
}

/**
 * Converts an error response of the API, which is a problem document or, for status 422, a list of issues. An unknown
 * format becomes the error `network`.
 */
function toApiError({ status, headers }: Response, json: unknown): CausewayError {
  const { detail, code, request_id: requestId, ...rest } = json as Record<string, unknown>;
  if (Array.isArray(detail)) {
    const issues = detail as InputIssue[];
    const message = issues.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`).join("; ");
    return new CausewayError("invalid_input", message, {
      status,
      issues,
      requestId: headers.get("x-request-id"),
    });
  }
  const { type: _type, title: _title, status: _status, ...members } = rest;
  if (typeof code !== "string") return new CausewayError("network", `the API answered ${status}`, { status });
  return new CausewayError(code as ApiErrorCode, String(detail), {
    status,
    members,
    requestId: typeof requestId === "string" ? requestId : headers.get("x-request-id"),
  });
}
