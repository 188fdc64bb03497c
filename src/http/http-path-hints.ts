import { editDistance } from "../lib/nearest-name.ts";
import { operationPaths } from "./http-paths.ts";

/** Maximum number of segments of a path that is compared, and of letters of a segment. */
const MAX_SEGMENTS = 7;
const MAX_LETTERS = 24;
/** Costs of the differences between two paths, in tenths of a segment. An equal last segment offsets some of them. */
const COST = { parameter: 1, spelling: 2, ending: 3, typing: 5, missing: 6, other: 10, sameEnd: -3 } as const;
/** Maximum cost at which a path still resembles an operation's, and where the path exists with another method. */
const MAX_COST = { unknownPath: 12, otherMethod: 7 } as const;

/** Operations by what callers of other services name them, without the version. */
const ALIASES: Readonly<Record<string, string>> = {
  "POST deposit": "POST /v1/quote/build",
  "POST deposits": "POST /v1/quote/build",
  "POST redeem": "POST /v1/withdraw/build",
  "POST withdraw": "POST /v1/withdraw/build",
  "POST withdrawals": "POST /v1/withdraw/build",
  "POST partners/keys": "POST /v1/partners/api-keys",
  "GET partners/keys": "GET /v1/partners/api-keys",
};

/** Operations as method and segments; a segment in braces is a parameter. */
const operations = operationPaths.map((text) => {
  const [method = "", path = ""] = text.split(" ");
  return { text, method, segments: path.split("/").slice(1) };
});

/**
 * Returns the operation that a request with an unknown path or method probably means, as `METHOD /path`, or null if
 * none is similar enough or the path has more than seven segments. Always null for paths with a segment `admin`: they
 * do not exist if no administrator is configured.
 */
export function nearestOperation(request: { method: string; path: string }): string | null {
  const given = request.path.split("/").filter((segment) => segment !== "");
  if (
    given.length === 0 ||
    given.length > MAX_SEGMENTS ||
    given.some((segment) => segment.toLowerCase() === "admin")
  )
    return null;
  const method = request.method === "HEAD" ? "GET" : request.method;
  const sameMethod = operations.filter((operation) => operation.method === method);
  const own = sameMethod.find(({ segments }) => isPathOf(given, segments));
  // Segments are right: what is wrong are additional slashes (hono removes the last one), or nothing.
  if (own !== undefined) return /\/\/|.\/$/.test(request.path) ? own.text : null;
  const alias = given.filter((segment) => !/^(?:api|v\d+)$/i.test(segment)).join("/");
  const known = ALIASES[`${method} ${alias.toLowerCase()}`];
  if (known !== undefined) return known;
  const exists = operations.some(({ segments }) => isPathOf(given, segments));
  const ranked = (exists ? sameMethod : operations)
    .map((operation) => ({
      ...operation,
      cost: pathCost(given, operation.segments),
      own: operation.method === method,
    }))
    .filter(({ cost }) => cost <= (exists ? MAX_COST.otherMethod : MAX_COST.unknownPath))
    .sort((a, b) => Number(b.own) - Number(a.own) || a.cost - b.cost);
  return ranked[0]?.text ?? null;
}

/** Returns true if the segments of a request are a path of an operation. */
const isPathOf = (given: readonly string[], wanted: readonly string[]): boolean =>
  given.length === wanted.length &&
  wanted.every((name, index) => name.startsWith("{") || name === given[index]);

/**
 * Returns the cost of turning the segments of a request into those of an operation; segments may be missing or
 * superfluous. Infinite if no segment of the request resembles a name in the operation other than the version.
 */
function pathCost(given: readonly string[], wanted: readonly string[]): number {
  const resembles = wanted.some(
    (name) =>
      !isFixed(name) && given.some((segment) => name[0] !== "{" && segmentCost(segment, name) < COST.other),
  );
  if (!resembles) return Number.POSITIVE_INFINITY;
  let previous = wanted.reduce((row: number[]) => [...row, (row.at(-1) ?? 0) + COST.missing], [0]);
  for (const [index, segment] of given.entries()) {
    const current = [(index + 1) * COST.missing];
    for (const [column, name] of wanted.entries()) {
      const replaced = (previous[column] ?? 0) + segmentCost(segment, name);
      const [left = 0, above = 0] = [current[column], previous[column + 1]];
      current.push(Math.min(replaced, left + COST.missing, above + COST.missing));
    }
    previous = current;
  }
  const end = given.at(-1) === wanted.at(-1) ? COST.sameEnd : 0;
  return (previous.at(-1) ?? Number.POSITIVE_INFINITY) + end;
}

/** Returns true for the version segment, which most paths have and which does not distinguish operations. */
const isFixed = (name: string): boolean => name === "v1";

/** Returns the cost of the difference between a segment of a request and a segment of an operation. */
function segmentCost(segment: string, name: string): number {
  if (segment === name) return 0;
  if (name.startsWith("{")) return COST.parameter;
  const [a, b] = [lettersOf(segment), lettersOf(name)];
  if (a === b) return COST.spelling;
  if (Math.min(a.length, b.length) >= 4 && (a.startsWith(b) || b.startsWith(a))) return COST.ending;
  const allowed = Math.max(1, Math.floor(b.length / 3));
  if (b.length < 4 || Math.abs(a.length - b.length) > allowed) return COST.other;
  return editDistance(a, b) <= allowed ? COST.typing : COST.other;
}

const lettersOf = (text: string): string =>
  text
    .slice(0, MAX_LETTERS)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "");
