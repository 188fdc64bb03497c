/** How long a stored response is served, in seconds; infinite if the platform sets no limit. */
export interface Freshness {
  freshFor: number;
  /** Further time during which the response is served while it is revalidated in the background. */
  staleWhileRevalidate: number;
  /** Further time during which the response is served if the Worker fails. */
  staleIfError: number;
}

/**
 * Default lifetime of responses without `Cache-Control` and `Expires`, in seconds by status. Source:
 * developers.cloudflare.com/workers/cache/configuration, "Cache-Control semantics".
 */
const HEURISTIC_SECONDS: Readonly<Record<number, number>> = {
  ...{ 200: 7_200, 203: 7_200, 204: 7_200, 300: 1_200, 301: 1_200 },
  ...{ 404: 180, 405: 60, 410: 180, 414: 60, 501: 60 },
};

/** Content types by file extension. The platform applies default lifetimes only if the response's type matches. */
const TYPE_BY_EXTENSION: Readonly<Record<string, string>> = {
  ...{ css: "text/css", js: "text/javascript", html: "text/html", txt: "text/plain" },
  ...{ json: "application/json", xml: "application/xml", pdf: "application/pdf", svg: "image/svg+xml" },
};

/** The headers that control the platform's cache, the most specific first: the first one present counts alone. */
export const CONTROL_HEADERS = [
  "cloudflare-cdn-cache-control",
  "cdn-cache-control",
  "cache-control",
] as const;

/** A response of the Worker, and when it arrived, in milliseconds. */
interface Arrived {
  response: Response;
  now: number;
}

/**
 * Parses a `Cache-Control` header (RFC 9111) into its directives, keyed by lowercase name. Quotes around a value are
 * removed; a directive without a value maps to `""`; of duplicates, the last one counts.
 */
export function parseDirectives(header: string): ReadonlyMap<string, string> {
  const directives = [...header.matchAll(/([\w-]+)\s*(?:=\s*(?:"([^"]*)"|([^\s,]*)))?/g)];
  return new Map(
    directives.map(([, name = "", quoted, plain]) => [name.toLowerCase(), quoted ?? plain ?? ""]),
  );
}

/** Returns the directives that apply to a response. Null if no header controls its caching. */
export function directivesOf({ headers }: Response): ReadonlyMap<string, string> | null {
  const name = CONTROL_HEADERS.find((candidate) => headers.has(candidate));
  return name === undefined ? null : parseDirectives(headers.get(name) ?? "");
}

/**
 * Returns how long the platform's cache serves a response that arrived at `now`, in milliseconds. Null if it does not
 * store the response. Source: developers.cloudflare.com/workers/cache/configuration and /limitations.
 */
export function freshnessOf(request: Request, { response, now }: Arrived): Freshness | null {
  const { status, headers } = response;
  const directives = directivesOf(response);
  if (status === 206 || status === 304 || (status >= 520 && status <= 526)) return null;
  if (headers.get("vary")?.includes("*") === true) return null;
  if (setsCookie(response) || isForOne(request, directives)) return null;
  const expires = headers.get("expires");
  if (directives === null && expires === null) return guessed(request, response);
  return freshnessBy(directives ?? new Map(), { response, now });
}

/** Returns how long a response is served by its directives, and without a lifetime among them by `Expires`. */
function freshnessBy(
  directives: ReadonlyMap<string, string>,
  { response: { status, headers }, now }: Arrived,
): Freshness | null {
  if (directives.has("no-store") || directives.get("private") === "") return null;
  const explicit = [directives.get("s-maxage"), directives.get("max-age")].find(
    (value) => value !== undefined,
  );
  const saysWhen = explicit !== undefined || headers.has("expires") || directives.has("no-cache");
  if (!saysWhen && !(status in HEURISTIC_SECONDS)) return null;
  const lifetime = explicit === undefined ? secondsToExpiry(headers, now) : seconds(explicit);
  // RFC 9111, section 4.2.4: these forbid serving what is stale.
  const strict = ["s-maxage", "must-revalidate", "proxy-revalidate"].some((name) => directives.has(name));
  const error = directives.get("stale-if-error");
  return {
    freshFor: directives.has("no-cache") ? 0 : lifetime,
    staleWhileRevalidate: strict ? 0 : seconds(directives.get("stale-while-revalidate")),
    staleIfError: strict ? 0 : error === undefined ? Number.POSITIVE_INFINITY : seconds(error),
  };
}

/** Returns the seconds of a directive's value, 0 if it is none. */
const seconds = (value: string | undefined): number => (/^\d+$/.test(value ?? "") ? Number(value) : 0);

/** Returns the seconds from a response's date to its `Expires`, 0 if that is no date (RFC 9111, section 5.3). */
function secondsToExpiry(headers: Headers, now: number): number {
  // JavaScript takes "0" for a year; a date in HTTP ends with its only time zone.
  const timeOf = (name: string): number => Date.parse(/^.+ GMT$/.exec(headers.get(name) ?? "")?.[0] ?? "");
  const ms = timeOf("expires") - (timeOf("date") || now);
  return ms > 0 ? Math.floor(ms / 1_000) : 0;
}

/**
 * Returns the names, in lowercase, of the headers that a response's directives keep out of the stored copy:
 * `private="…"` and `no-cache="…"` (RFC 9111, 5.2.2).
 */
export function unstoredHeaders(response: Response): string[] {
  const directives = directivesOf(response);
  const lists = ["private", "no-cache"].map((name) => directives?.get(name) ?? "");
  return lists.flatMap((list) => list.toLowerCase().match(/[\w-]+/g) ?? []);
}

/** Returns true if a response sets a cookie, unless its directives keep the cookie out of the stored copy. */
function setsCookie(response: Response): boolean {
  return response.headers.has("set-cookie") && !unstoredHeaders(response).includes("set-cookie");
}

/** Returns true if a request has credentials and its response does not explicitly allow storing it (RFC 9111, 3.5). */
function isForOne(request: Request, directives: ReadonlyMap<string, string> | null): boolean {
  const allowed = ["public", "must-revalidate", "s-maxage"].some((name) => directives?.has(name) === true);
  return request.headers.has("authorization") && !allowed;
}

/**
 * Returns the default lifetime of a response without caching headers. Null if its type contradicts the path's
 * extension.
 */
function guessed(request: Request, { status, headers }: Response): Freshness | null {
  const seconds = HEURISTIC_SECONDS[status];
  if (seconds === undefined) return null;
  const type = headers.get("content-type")?.split(";")[0] ?? "";
  const extension = /\.(\w+)$/.exec(new URL(request.url).pathname)?.[1] ?? "";
  const expected = TYPE_BY_EXTENSION[extension];
  const deceptive = /^(?:text|application)\//.test(type) && expected !== undefined && expected !== type;
  return deceptive
    ? null
    : { freshFor: seconds, staleWhileRevalidate: 0, staleIfError: Number.POSITIVE_INFINITY };
}
