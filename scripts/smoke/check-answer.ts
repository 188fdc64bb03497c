import { getAddress } from "viem";
import { z } from "zod";
import type { ApiContract } from "./api-contract.ts";
import type { HttpAnswer } from "./http-request.ts";
import type { Probe } from "./probes.ts";

const Readiness = z.object({
  status: z.string(),
  dependencies: z.array(z.object({ name: z.string(), ok: z.boolean(), code: z.string().nullable() })),
  indexes: z.array(z.object({ chain_id: z.int(), lag: z.int().nullable() })),
});

/** Headers that every response must have. */
const ALWAYS: readonly (readonly [name: string, value: RegExp])[] = [
  ["x-content-type-options", /^nosniff$/],
  ["strict-transport-security", /^max-age=\d{7,}/],
];
/** Returns true if a response must not be cached. Such a response contains the id of its request. */
const isUncached = (headers: Headers): boolean => headers.get("cache-control") === "private, no-store";

/** Pattern of internals that no response may contain: connection strings, secrets and stack traces. */
const LEAKS = new RegExp(
  [
    /postgres(?:ql)?:\/\/|rediss?:\/\/|Bearer [\w-]|cw_secret_\w/,
    // A stack frame; prose with words in parentheses must not match.
    /\.[jt]s:\d+:\d+|\bat [^()]{1,100} \((?:[^()\s]+:\d+:\d+|<anonymous>|native)\)/,
  ]
    .map(({ source }) => source)
    .join("|"),
);

/** Limits and OpenAPI document by which a deployment's responses are checked. */
export interface AnswerLimits {
  contract: ApiContract;
  /** Maximum response time in milliseconds. */
  maxMs: number;
  /** Maximum lag of a chain's index in blocks, or null for no limit. */
  maxLag: number | null;
}

/** A response with its duration and the request id that was sent. */
interface Seen {
  answer: HttpAnswer;
  ms: number;
  requestId: string;
  measure: AnswerLimits;
}

/**
 * Checks a response: its status, document, headers, duration, leaks, checksums and, for readiness, index lags. Returns
 * a description of each problem; empty if there are none.
 */
export function checkAnswer(probe: Probe, { answer, ms, requestId, measure }: Seen): string[] {
  const problems: string[] = [];
  if (!probe.expected.includes(answer.status))
    problems.push(`status ${answer.status} instead of ${probe.expected.join(" or ")}`);
  if (probe.operation !== null)
    problems.push(...measure.contract.problems(probe.operation, answer).slice(0, 3));
  for (const [name, value] of probe.asset ? [] : ALWAYS) {
    const given = answer.headers.get(name);
    if (given === null || !value.test(given)) problems.push(`the header ${name} is ${given ?? "missing"}`);
  }
  // Assets hold third-party text that may look like anything.
  if (!probe.asset && LEAKS.test(answer.text)) problems.push("the answer reveals internals");
  if (probe.holds?.test(answer.text) === false) problems.push(`the page lacks ${probe.holds.source}`);
  if (ms > measure.maxMs) problems.push(`took ${Math.round(ms)} ms, of ${measure.maxMs} allowed`);
  const spelt = misspelt(answer.json).slice(0, 3);
  problems.push(...spelt.map((address) => `the checksum of ${address} is invalid`));
  problems.push(...ofAnother(probe, answer), ...crossOrigin(probe, answer), ...refusal(probe, answer));
  problems.push(
    ...strangeId(probe, { answer, requestId }),
    ...secrecy(probe, answer),
    ...lacking(probe, answer),
  );
  return [...problems, ...unready(probe, { answer, maxLag: measure.maxLag })];
}

/** Reports a field whose value differs from the request's parameter of the same name. */
function ofAnother({ asked }: Probe, { json }: HttpAnswer): string[] {
  const body = z.record(z.string(), z.unknown()).catch({}).parse(json);
  return [...asked].flatMap(([name, value]) => {
    const given = body[name];
    if (typeof given !== "string" && typeof given !== "number") return [];
    const same = String(given).toLowerCase() === value.toLowerCase();
    return same ? [] : [`${name} is ${given} instead of the requested ${value}`];
  });
}

/** Returns addresses without their EIP-55 checksum. */
function misspelt(value: unknown): string[] {
  if (typeof value === "string")
    return /^0x[0-9a-fA-F]{40}$/.test(value) && getAddress(value) !== value ? [value] : [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(misspelt) : [];
}

/** Checks the answer to an unknown path or method: code, content type and `allow` header. */
function refusal({ operation }: Probe, { status, headers, json }: HttpAnswer): string[] {
  if (operation !== null || (status !== 404 && status !== 405)) return [];
  const expected = status === 404 ? "route_not_found" : "method_not_allowed";
  const { code } = z.object({ code: z.string() }).catch({ code: "none" }).parse(json);
  const type = headers.get("content-type");
  return [
    ...(code === expected ? [] : [`the code is ${code} instead of ${expected}`]),
    ...(type === "application/problem+json"
      ? []
      : [`the problem document has the content type ${type ?? "none"}`]),
    ...(status === 404 || headers.has("allow") ? [] : ["the header allow is missing"]),
  ];
}

/**
 * Checks CORS: administration routes allow no other origin, all other routes allow every origin, and responses to
 * credentials are not cached.
 */
function crossOrigin({ operation }: Probe, { headers }: HttpAnswer): string[] {
  if (operation === null) return [];
  const { security, path } = operation;
  const admin = path.startsWith("/v1/admin/");
  const open = headers.get("access-control-allow-origin") === "*";
  const wrong = [
    ...(admin && open ? ["CORS allows other origins"] : []),
    ...(admin || open ? [] : ["CORS does not allow other origins"]),
  ];
  const free = security.length === 0 || security.some((scheme) => Object.keys(scheme).length === 0);
  return free || isUncached(headers) ? wrong : [...wrong, "the answer may be cached"];
}

/** Checks that an uncached response and its problem document have the id of the request. */
function strangeId(
  { asset }: Probe,
  { answer, requestId }: { answer: HttpAnswer; requestId: string },
): string[] {
  if (asset || !isUncached(answer.headers)) return [];
  const receivedId = answer.headers.get("x-request-id");
  const body = z.object({ request_id: z.string() }).safeParse(answer.json);
  return [
    ...(receivedId === requestId ? [] : ["its request id is another request's"]),
    ...(!body.success || body.data.request_id === receivedId ? [] : ["its body has another request's id"]),
  ];
}

/** Checks that uncacheable answers are `no-store`, and that routes with credentials send no timings. */
function secrecy({ operation }: Probe, { headers }: HttpAnswer): string[] {
  if (headers.has("access-control-allow-credentials")) return ["CORS allows credentials"];
  if (operation === null) return [];
  const { responses, security } = operation;
  const mayKeep = "304" in responses || isUncached(headers);
  const open = security.length === 0 || security.some((scheme) => Object.keys(scheme).length === 0);
  // The platform may add timings of its own.
  const timed = !open && (headers.get("server-timing") ?? "").includes("total;");
  return [
    ...(mayKeep || !open ? [] : ["the answer may be cached"]),
    ...(timed ? ["it reveals timings"] : []),
  ];
}

/**
 * Checks that lists which are never empty in a deployment have entries, and that HTML pages have a content security
 * policy.
 */
function lacking({ name, holds, asset }: Probe, { status, headers, json }: HttpAnswer): string[] {
  const filled = name === "tokens.list" || name === "intel.rules";
  return [
    ...(filled && status === 200 && Array.isArray(json) && json.length === 0 ? ["the list is empty"] : []),
    ...(holds === null || asset || headers.has("content-security-policy")
      ? []
      : ["the header content-security-policy is missing"]),
  ];
}

function unready({ name }: Probe, seen: { answer: HttpAnswer; maxLag: number | null }): string[] {
  if (name !== "health.ready") return [];
  const parsed = Readiness.safeParse(seen.answer.json);
  if (!parsed.success) return [];
  const { status, dependencies, indexes } = parsed.data;
  const maxLag = seen.maxLag ?? Number.POSITIVE_INFINITY;
  return [
    ...(status === "ok" ? [] : [`the status is ${status}`]),
    ...dependencies.filter(({ ok }) => !ok).map((row) => `${row.name} does not respond: ${row.code}`),
    ...indexes
      .filter(({ lag }) => lag !== null && lag > maxLag)
      .map((row) => `the index of chain ${row.chain_id} is ${row.lag} blocks behind, of ${maxLag} allowed`),
  ];
}
