import { freshnessOf, unstoredHeaders } from "./freshness.ts";

/** A stored response, with the times until which it is served, in milliseconds. */
interface Stored {
  response: Response;
  path: string;
  freshUntil: number;
  staleUntil: number;
  failingUntil: number;
  tags: ReadonlySet<string>;
}

/** How the cache handled a request, as the platform reports it in `Cf-Cache-Status`. */
type CacheStatus = "HIT" | "MISS" | "EXPIRED" | "REVALIDATED" | "UPDATING" | "STALE" | "BYPASS";

/** Parameters of a purge: responses that have one of the tags or one of the path prefixes are removed. */
interface Purge {
  tags?: readonly string[];
  pathPrefixes?: readonly string[];
  purgeEverything?: boolean;
}

/**
 * Request headers that are part of the key, because frameworks take them for the method or the URL of a request.
 * Source: developers.cloudflare.com/workers/cache/cache-keys.
 */
const KEY_HEADERS = [
  ...["x-http-method-override", "x-http-method", "x-method-override", "x-forwarded-host", "x-host"],
  ...["x-forwarded-scheme", "x-original-url", "x-rewrite-url", "forwarded", "cloudflare-workers-version-key"],
];

/** Maximum size of a stored response in bytes: that of the free plan, which holds for every plan. */
const MAX_BYTES = 512 * 1024 * 1024;

/**
 * Model of the platform's cache in front of a Worker. It responds to GET and HEAD by path and query before the Worker
 * runs, for every caller and whatever the other request headers are, and follows the caching headers of the Worker's
 * responses. Source: developers.cloudflare.com/workers/cache and its pages (keys, configuration, purge, limitations).
 */
export class EdgeCache {
  readonly #worker: (request: Request) => Promise<Response>;
  readonly #maxBytes: number;
  /** Stored responses by key and, within a key, by the values of the headers that `Vary` names. */
  readonly #stored = new Map<string, Map<string, Stored>>();
  /** Names of the headers in `Vary`, by key. */
  readonly #varies = new Map<string, readonly string[]>();
  readonly #pending = new Map<string, Promise<Response>>();
  /** The version of the Worker, which is part of the key. */
  version = "1";
  /** The cache's clock in milliseconds, which the owner sets. */
  now = 0;
  /** Number of requests that reached the Worker. */
  misses = 0;

  constructor(worker: (request: Request) => Promise<Response>, { maxBytes = MAX_BYTES } = {}) {
    this.#worker = worker;
    this.#maxBytes = maxBytes;
  }

  /** The path and query of everything that is stored. */
  get keys(): string[] {
    return [...this.#stored.values()].flatMap((variants) => [...variants.values()].map(({ path }) => path));
  }

  /** The stored responses. */
  get answers(): Response[] {
    return [...this.#stored.values()].flatMap((variants) =>
      [...variants.values()].map(({ response }) => response.clone()),
    );
  }

  /** Returns the response to a request, with `Cf-Cache-Status`, as the platform does. */
  async fetch(request: Request): Promise<Response> {
    const cacheable = ["GET", "HEAD"].includes(request.method) && !request.headers.has("upgrade");
    if (!cacheable) return seen(await this.#ask(request), "BYPASS", request);
    const key = this.#keyOf(request);
    const held = this.#stored.get(key)?.get(this.#variantOf(key, request));
    if (held === undefined) return this.#miss(key, request);
    if (this.now < held.freshUntil) return seen(held.response.clone(), "HIT", request);
    if (this.now < held.staleUntil) {
      await this.#refresh(key, { request, held });
      return seen(held.response.clone(), "UPDATING", request);
    }
    return this.#refresh(key, { request, held });
  }

  /** Removes what a purge names. Tags are compared without regard to case. */
  purge({ tags = [], pathPrefixes = [], purgeEverything = false }: Purge): void {
    const named = tags.map((tag) => tag.toLowerCase());
    const meant = ({ path, tags: own }: Stored): boolean =>
      purgeEverything ||
      named.some((tag) => own.has(tag)) ||
      pathPrefixes.some((prefix) => path.startsWith(prefix));
    for (const [key, variants] of this.#stored)
      if ([...variants.values()].some(meant)) this.#stored.delete(key);
  }

  #keyOf(request: Request): string {
    const { pathname, search } = new URL(request.url);
    const scheme = request.headers.get("x-forwarded-scheme") ?? "";
    const headers = KEY_HEADERS.flatMap((name) => {
      const value = request.headers.get(name);
      if (value === null || (name === "x-forwarded-scheme" && /^https?$/.test(scheme))) return [];
      return [`${name}:${value}`];
    });
    return [this.version, pathname + search, ...headers].join("\n");
  }

  #variantOf(key: string, request: Request): string {
    return JSON.stringify((this.#varies.get(key) ?? []).map((name) => request.headers.get(name)));
  }

  /**
   * Fetches a response that is not stored from the Worker. Concurrent requests for the same key share a storable
   * response.
   */
  async #miss(key: string, request: Request): Promise<Response> {
    const pending = this.#pending.get(key);
    if (pending !== undefined) {
      const shared = await pending;
      if (freshnessOf(request, { response: shared, now: this.now }) !== null)
        return seen(await storedCopy(shared), "HIT", request);
    }
    // A HEAD request fills the cache with the whole response.
    const asked = this.#ask(request.method === "HEAD" ? new Request(request, { method: "GET" }) : request);
    this.#pending.set(key, asked);
    const response = await asked.finally(() => this.#pending.delete(key));
    const kept = await this.#keep(key, { request, response });
    // A part and what is too large are not stored either, but look storable.
    const looksStorable =
      kept || freshnessOf(request, { response: wholeOf(response), now: this.now }) !== null;
    return seen(response.clone(), looksStorable ? "MISS" : "BYPASS", request);
  }

  /** Revalidates a stale response with the Worker, and stores the result. */
  async #refresh(key: string, { request, held }: { request: Request; held: Stored }): Promise<Response> {
    const etag = held.response.headers.get("etag");
    const headers = new Headers(request.headers);
    if (etag !== null) headers.set("if-none-match", etag);
    const response = await this.#ask(new Request(request.url, { headers })).catch(() => null);
    if (response === null || response.status >= 500) {
      if (this.now < held.failingUntil) return seen(held.response.clone(), "STALE", request);
      return seen(response ?? new Response(null, { status: 520 }), "EXPIRED", request);
    }
    if (response.status === 304) {
      await this.#keep(key, { request, response: held.response.clone() });
      return seen(held.response.clone(), "REVALIDATED", request);
    }
    if (!(await this.#keep(key, { request, response }))) this.#stored.delete(key);
    return seen(response.clone(), "EXPIRED", request);
  }

  #ask(request: Request): Promise<Response> {
    this.misses += 1;
    return this.#worker(request);
  }

  /** Stores a response under its key and variant, if it may be stored. Returns true if it was stored. */
  async #keep(
    key: string,
    { request, response }: { request: Request; response: Response },
  ): Promise<boolean> {
    const freshness = freshnessOf(request, { response, now: this.now });
    const size = (await response.clone().arrayBuffer()).byteLength;
    if (freshness === null || size > this.#maxBytes) return false;
    const vary = (response.headers.get("vary") ?? "").split(",").map((name) => name.trim().toLowerCase());
    this.#varies.set(
      key,
      vary.filter((name) => name !== ""),
    );
    const freshUntil = this.now + freshness.freshFor * 1_000;
    const { pathname, search } = new URL(request.url);
    const variants = this.#stored.get(key) ?? new Map<string, Stored>();
    this.#stored.set(key, variants);
    variants.set(this.#variantOf(key, request), {
      response: await storedCopy(response),
      path: pathname + search,
      freshUntil,
      staleUntil: freshUntil + freshness.staleWhileRevalidate * 1_000,
      failingUntil: freshUntil + freshness.staleIfError * 1_000,
      tags: tagsOf(response),
    });
    return true;
  }
}

/**
 * Returns a copy of a response without the headers that its directives keep out of the cache. It holds the bytes, because
 * Node cancels the stream of a cloned response when the clone is collected.
 */
async function storedCopy(response: Response): Promise<Response> {
  const body = response.body === null ? null : await response.clone().arrayBuffer();
  const copy = new Response(body, response);
  for (const name of unstoredHeaders(response)) copy.headers.delete(name);
  return copy;
}

/** Returns a response with the headers of another, as if it were whole: 206 becomes 200. */
const wholeOf = ({ status, headers }: Response): Response =>
  new Response(null, { status: status === 206 ? 200 : status, headers });

/** Returns the valid tags of a response in lowercase: printable ASCII, at most 1,024 characters, at most 1,000 tags. */
function tagsOf({ headers }: Response): ReadonlySet<string> {
  const tags = (headers.get("cache-tag") ?? "").split(",").map((tag) => tag.trim());
  const valid = tags.filter((tag) => /^[\x21-\x7e]{1,1024}$/.test(tag));
  return new Set(valid.slice(0, 1_000).map((tag) => tag.toLowerCase()));
}

/**
 * Converts a response to the one that the client gets: without the headers for the platform, without a body for HEAD or
 * for a matching entity tag, and with only the requested bytes for a range of a stored response.
 */
async function seen(response: Response, status: CacheStatus, request: Request): Promise<Response> {
  const headers = new Headers(response.headers);
  for (const name of ["cache-tag", "cloudflare-cdn-cache-control"]) headers.delete(name);
  headers.set("cf-cache-status", status);
  const whole = { status: response.status, headers };
  if (request.method === "HEAD") return new Response(null, whole);
  if (status === "BYPASS" || response.status !== 200)
    return new Response([204, 304].includes(response.status) ? null : response.body, whole);
  const etag = headers.get("etag");
  const offered = (request.headers.get("if-none-match") ?? "").split(",").map((tag) => tag.trim());
  if (etag !== null && offered.some((tag) => tag === "*" || tag.replace(/^W\//, "") === etag))
    return new Response(null, { status: 304, headers });
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.get("range") ?? "");
  const ifRange = request.headers.get("if-range");
  if (range === null || (ifRange !== null && ifRange !== etag)) return new Response(response.body, whole);
  return slice(await response.arrayBuffer(), { range, headers });
}

/** Returns the requested bytes with status 206, or 416 if there are none (RFC 9110, sections 14.1.2 and 15.5.17). */
function slice(
  bytes: ArrayBuffer,
  { range, headers }: { range: RegExpExecArray; headers: Headers },
): Response {
  const last = bytes.byteLength - 1;
  const [start, end] = [Number(range[1]), range[2] === "" ? last : Math.min(Number(range[2]), last)];
  if (start > end) {
    headers.set("content-range", `bytes */${bytes.byteLength}`);
    return new Response(null, { status: 416, headers });
  }
  headers.set("content-range", `bytes ${start}-${end}/${bytes.byteLength}`);
  return new Response(bytes.slice(start, end + 1), { status: 206, headers });
}
