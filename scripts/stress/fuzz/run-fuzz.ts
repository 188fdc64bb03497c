import fc from "fast-check";
import { z } from "zod";
import type { ApiContract, ApiOperation } from "../../smoke/api-contract.ts";
import { type HttpAnswer, sendRequest } from "../../smoke/http-request.ts";
import { createForbiddenInputs } from "./forbidden-inputs.ts";
import { type FuzzRequest, type KnownValues, requestsFor } from "./requests.ts";

/** Settings of a fuzzing run. */
export interface FuzzPlan {
  origin: string;
  contract: ApiContract;
  known: KnownValues;
  /** Headers by security scheme. Operations of other schemes must respond with 401. */
  credentials: Readonly<Record<string, Record<string, string>>>;
  /**
   * Total number of requests; operations that build transactions get the most, operations without input the fewest.
   */
  requests: number;
  seed: number;
  /** True if external systems fail during the run. The statuses 502, 503 and 504 are then accepted. */
  outages: boolean;
}

/** Result of one operation. */
export interface FuzzReport {
  operationId: string;
  requests: number;
  /** Number of responses by status. */
  statuses: Record<string, number>;
  /** Number of requests that the document forbids. */
  wrong: number;
  /** Smallest request with an incorrect response, and the problem. Null if there is none. */
  failure: string | null;
}

const NOTHING: KnownValues = { values: {}, bodies: {} };
const Finding = z.strictObject({
  loc: z.tuple([z.enum(["body", "query", "path", "header"])], z.union([z.string(), z.int()])),
  msg: z.string().min(1),
  type: z.string().min(1),
});
const Invalid = z.strictObject({ detail: z.array(Finding).min(1) });

/** Sends generated requests to all operations concurrently. Incorrect responses are reported, not thrown. */
export async function fuzz(plan: FuzzPlan): Promise<FuzzReport[]> {
  const { operations } = plan.contract;
  const weight = ({ operationId, parameters, body }: ApiOperation): number =>
    operationId.startsWith("quotes.") ? 12 : parameters.length > 0 || body !== null ? 4 : 1;
  const total = operations.reduce((sum, operation) => sum + weight(operation), 0);
  return Promise.all(
    operations.map((operation) =>
      fuzzOperation(plan, { operation, runs: Math.ceil((plan.requests * weight(operation)) / total) }),
    ),
  );
}

async function fuzzOperation(
  plan: FuzzPlan,
  { operation, runs }: { operation: ApiOperation; runs: number },
): Promise<FuzzReport> {
  const statuses: Record<string, number> = {};
  const oracle = createForbiddenInputs(operation);
  const headers = headersFor(operation, plan.credentials);
  let [requests, wrong] = [0, 0];
  // Administrators' changes to existing vaults would affect all other operations.
  const known = operation.path.startsWith("/v1/admin/") ? NOTHING : plan.known;
  const property = fc.asyncProperty(requestsFor(operation, known), async (request) => {
    const answer = await deliver(plan.origin, { operation, credentials: headers ?? {} }, request);
    const expected = oracle(request);
    requests += 1;
    if (expected.size > 0) wrong += 1;
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    const honest = plan.outages && [502, 503, 504].includes(answer.status);
    const verdict = honest ? [] : headers === null ? judgeStranger(answer) : judge(answer, expected);
    const problems = [...verdict, ...plan.contract.problems(operation, answer)];
    if (problems.length > 0) throw new Error(`${problems.join("; ")} :: ${answer.text.slice(0, 300)}`);
  });
  const result = await fc.check(property, { numRuns: runs, seed: plan.seed });
  const failure = result.failed
    ? `${(result.errorInstance as Error | null)?.message ?? "interrupted"}\n  request ${JSON.stringify(result.counterexample)}`
    : null;
  return { operationId: operation.operationId, requests, statuses, wrong, failure };
}

/** Returns the credentials of an operation. Empty for a public operation; null if there are none for its scheme. */
function headersFor(
  operation: ApiOperation,
  credentials: FuzzPlan["credentials"],
): Record<string, string> | null {
  const open = operation.security.some((scheme) => Object.keys(scheme).length === 0);
  if (open || operation.security.length === 0) return {};
  const ends = /logout|rotate/.test(operation.operationId);
  const scheme = operation.security
    .flatMap((one) => Object.keys(one))
    .find((name) => credentials[name] !== undefined);
  return ends || scheme === undefined ? null : (credentials[scheme] ?? null);
}

function judgeStranger(answer: HttpAnswer): string[] {
  return answer.status === 401 ? [] : [`without credentials it was answered ${answer.status}`];
}

/**
 * Returns the problems of a response: a server error, or invalid input that was accepted or is not named in the problem
 * document.
 */
function judge(answer: HttpAnswer, expected: ReadonlySet<string>): string[] {
  const problems: string[] = [];
  if (answer.status >= 500) problems.push(`a failure of ours: ${answer.status}`);
  const id = answer.headers.get("x-request-id");
  if (isKept(answer)) {
    if (id !== null) problems.push("a request id that caches keep");
  } else if (!/^[\w-]{1,64}$/.test(id ?? "")) problems.push("no request id");
  if (expected.size === 0) return problems;
  if (answer.status !== 422)
    return [...problems, `${[...expected].join(", ")} is invalid but was answered ${answer.status}`];
  const parsed = Invalid.safeParse(answer.json);
  if (!parsed.success) return [...problems, "the 422 has another shape"];
  const found = parsed.data.detail.map(({ loc }) => loc.slice(0, 2).join("."));
  const missed = [...expected].filter((place) => !found.includes(place));
  if (missed.length > 0) problems.push(`the 422 does not list ${missed.join(", ")}`);
  return problems;
}

/** Returns true if public caches may store a response, which must then be independent of the request's sender. */
function isKept({ headers }: HttpAnswer): boolean {
  const rule = headers.get("cache-control");
  return rule !== null && !/\b(?:no-store|private)\b/.test(rule);
}

async function deliver(
  origin: string,
  { operation, credentials }: { operation: ApiOperation; credentials: Record<string, string> },
  request: FuzzRequest,
): Promise<HttpAnswer> {
  const { url, own } = address(`${origin}${operation.path}`, request.parameters);
  const headers = { ...credentials, ...own };
  const method = operation.method.toUpperCase();
  const { body } = request;
  if (body.kind === "none") return sendRequest(url, { method, headers });
  const type = body.kind === "json" ? "application/json" : body.type;
  // As bytes, because fetch adds a content type to a string.
  const raw = Uint8Array.from(Buffer.from(body.text, "utf8"));
  return sendRequest(url, {
    method,
    raw,
    headers: type === null ? headers : { ...headers, "content-type": type },
  });
}

/** Fills the path and query parameters into the URL and returns the header parameters. */
function address(template: string, parameters: FuzzRequest["parameters"]) {
  const query = new URLSearchParams();
  const own: Record<string, string> = {};
  let path = template;
  for (const [key, texts] of Object.entries(parameters)) {
    const [place = "", name = ""] = key.split(":");
    const [first] = texts;
    if (place === "path") path = path.replace(`{${name}}`, encodeURIComponent(first ?? ""));
    else if (place === "query") for (const text of texts) query.append(name, text);
    else if (first !== undefined) own[name] = first;
  }
  return { url: query.size > 0 ? `${path}?${query}` : path, own };
}

/** Formats an operation's result as one line. */
export function describeReport({ operationId, requests, statuses, wrong, failure }: FuzzReport): string {
  const counts = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`);
  const line = `${operationId.padEnd(28)} ${String(requests).padStart(6)} requests, ${String(wrong).padStart(6)} wrong   ${counts.join("  ")}`;
  return failure === null ? line : `${line}\n  FAILED ${failure}`;
}
