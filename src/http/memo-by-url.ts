import { BoundedMap } from "../lib/bounded-map.ts";
import type { ServedRoute } from "./define-route.ts";

/** Number of URLs per route, and the length of each, whose values are kept in memory. */
const MAX_URLS = 500;
const MAX_URL_LENGTH = 300;

/**
 * Values of a pure function of a route and a URL, computed once for up to 500 URLs of each route. Values of URLs longer
 * than 300 characters are computed every time.
 */
export class MemoByUrl<T> {
  readonly #byRoute = new WeakMap<ServedRoute, BoundedMap<{ value: T }>>();

  /** Returns the value of a URL of the route, computed by `make` if none is kept. Errors of `make` are not kept. */
  get(route: ServedRoute, url: string, make: () => T): T {
    const own = this.#byRoute.get(route) ?? new BoundedMap<{ value: T }>(MAX_URLS);
    const known = own.get(url);
    if (known !== undefined) return known.value;
    const value = make();
    if (url.length > MAX_URL_LENGTH) return value;
    own.set(url, { value });
    this.#byRoute.set(route, own);
    return value;
  }
}
