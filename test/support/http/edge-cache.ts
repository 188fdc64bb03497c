/** An answer that the cache keeps, with the times until which it is served, in milliseconds. */
interface Kept {
  response: Response;
  freshUntil: number;
  staleUntil: number;
  tags: readonly string[];
}

/** How long the platform keeps an answer that does not say how long, in milliseconds (a status of 200). */
const HEURISTIC_MS = 120 * 60_000;

/**
 * A model of the platform's cache in front of a Worker: it keeps GET and HEAD by path and query, for every caller and
 * whatever the request's headers are, and answers before the Worker runs. Requests with `Authorization` and answers with
 * `Set-Cookie` pass it by; an answer without `Cache-Control` is kept by a rule of thumb. Source:
 * developers.cloudflare.com/workers/cache.
 */
export class EdgeCache {
  readonly #worker: (request: Request) => Promise<Response>;
  readonly #kept = new Map<string, Kept>();
  now = 0;
  /** Number of requests that reached the Worker. */
  misses = 0;

  constructor(worker: (request: Request) => Promise<Response>) {
    this.#worker = worker;
  }

  /** The keys of what is kept: path and query. */
  get keys(): string[] {
    return [...this.#kept.keys()];
  }

  /** The answers that are kept. */
  get answers(): Response[] {
    return [...this.#kept.values()].map(({ response }) => response.clone());
  }

  async fetch(request: Request): Promise<Response> {
    const passes = !["GET", "HEAD"].includes(request.method) || request.headers.has("authorization");
    if (passes) return this.#ask(request);
    const { pathname, search } = new URL(request.url);
    const key = pathname + search;
    const held = this.#kept.get(key);
    if (held !== undefined && this.now < held.staleUntil) {
      if (this.now >= held.freshUntil) this.#keep(key, await this.#ask(request));
      return held.response.clone();
    }
    const response = await this.#ask(request);
    this.#keep(key, response);
    return response;
  }

  /** Drops what has one of the tags. */
  purge(tags: readonly string[]): void {
    for (const [key, held] of this.#kept)
      if (held.tags.some((tag) => tags.includes(tag))) this.#kept.delete(key);
  }

  #ask(request: Request): Promise<Response> {
    this.misses += 1;
    return this.#worker(request);
  }

  #keep(key: string, response: Response): void {
    const rule = response.headers.get("cache-control");
    if (response.headers.has("set-cookie") || /no-store|private/.test(rule ?? "")) return;
    if (rule === null && response.status !== 200) return;
    const seconds = (name: string) => Number(new RegExp(`${name}=(\\d+)`).exec(rule ?? "")?.[1] ?? 0) * 1_000;
    const fresh = rule === null ? HEURISTIC_MS : seconds("s-maxage");
    const freshUntil = this.now + fresh;
    this.#kept.set(key, {
      response: response.clone(),
      freshUntil,
      staleUntil: freshUntil + seconds("stale-while-revalidate"),
      tags: (response.headers.get("cache-tag") ?? "").split(","),
    });
  }
}
