/** Characters of a value that is sent without escapes. */
const PLAIN = /^[a-z0-9._~:,-]+$/;
/** Parameters whose values are case-sensitive, and the pattern of such a value: unescaped letters, digits, `_`, `-`. */
const CASE_SENSITIVE: ReadonlySet<string> = new Set(["cursor"]);
const CASE_SENSITIVE_VALUE = /^[\w-]+$/;
/** A number in its shortest form. */
const SHORTEST = /^(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/;

/**
 * Returns true if shared caches, which compare URLs byte by byte, may store responses to a URL: its path is lowercase,
 * without a trailing slash or escapes other than `%3A`; its query parameters are sorted, each given once and among
 * `parameters` (the names that the route accepts); their values are not empty, lowercase (except cursors), with sorted
 * lists without repetitions and numbers in their shortest form, and encoded as by `URLSearchParams` or, if
 * they consist of a to z, 0 to 9 and `._~:,-`, not at all. Source: developers.cloudflare.com/workers/cache/cache-keys.
 */
export function isCanonicalUrl(url: string, parameters: readonly string[]): boolean {
  // A lowercase path without a trailing slash, and escaped only in `%3A`.
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const mark = url.indexOf("?", start);
  const path = url.slice(start, mark === -1 ? url.length : mark);
  if (/[A-Z%]|.\/$/.test(path.includes("%3A") ? path.replaceAll("%3A", ":") : path)) return false;
  return mark === -1 || isCanonicalQuery(url.slice(mark + 1), parameters);
}

function isCanonicalQuery(query: string, parameters: readonly string[]): boolean {
  const parsed = new URLSearchParams(query);
  const entries = [...parsed];
  const isKnown = entries.every(
    ([name, value], index) =>
      parameters.includes(name) &&
      name > (entries[index - 1]?.[0] ?? "") &&
      (CASE_SENSITIVE.has(name) ? CASE_SENSITIVE_VALUE.test(value) : isCanonicalValue(value)),
  );
  if (entries.length === 0 || !isKnown) return false;
  const isPlain = entries.every(([name, value]) => CASE_SENSITIVE.has(name) || PLAIN.test(value));
  const plain = entries.map(([name, value]) => `${name}=${value}`).join("&");
  return query === parsed.toString() || (isPlain && query === plain);
}

function isCanonicalValue(value: string): boolean {
  if (value === "" || value !== value.toLowerCase().trim()) return false;
  if (/^[\d.]+$/.test(value)) return SHORTEST.test(value);
  const parts = value.split(",");
  return parts.every((part, index) => index === 0 || part > (parts[index - 1] ?? ""));
}
