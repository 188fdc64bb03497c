import fc from "fast-check";
import { z } from "zod";
import type { ApiContract, ApiOperation } from "../../smoke/api-contract.ts";
import { type Answer, send } from "../../smoke/request.ts";
import { makeOracle } from "./oracle.ts";
import { type FuzzRequest, type Known, requestsFor } from "./requests.ts";

export interface FuzzPlan {
  origin: string;
  contract: ApiContract;
  known: Known;
  /** By security scheme; operations whose scheme is not here must answer 401. */
  credentials: Readonly<Record<string, Record<string, string>>>;
  /** Requests in all; operations that build transactions get the most, those without input the least. */
  requests: number;
  seed: number;
  /** Whether outside systems are made to fail meanwhile: then 502, 503 and 504 are honest answers. */
  outages: boolean;
}

export interface FuzzReport {
  operationId: string;
  requests: number;
  /** How many answers had each status. */
  statuses: Record<string, number>;
  /** How many requests were wrong by the document. */
  wrong: number;
  /** The smallest request found that was answered wrongly, and why; null: none was. */
  failure: string | null;
}

const NOTHING: Known = { values: {}, bodies: {} };
const Finding = z.strictObject({
  loc: z.tuple([z.enum(["body", "query", "path", "header"])], z.union([z.string(), z.int()])),
  msg: z.string().min(1),
  type: z.string().min(1),
});
const Invalid = z.strictObject({ detail: z.array(Finding).min(1) });

/** Sends generated requests to every operation, all operations at once. Never throws for a bad answer. */
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
  const oracle = makeOracle(operation);
  const headers = headersFor(operation, plan.credentials);
  let [requests, wrong] = [0, 0];
  // What administrators do to vaults that exist would change them for everybody else.
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

/** The credentials that an operation takes: none when it is open, null when there are none to give. */
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

function judgeStranger(answer: Answer): string[] {
  return answer.status === 401 ? [] : [`without credentials it was answered ${answer.status}`];
}

/** What an answer gets wrong: a failure of ours, or an invalid input that passed or was not pointed at. */
function judge(answer: Answer, expected: ReadonlySet<string>): string[] {
  const problems: string[] = [];
  if (answer.status >= 500) problems.push(`a failure of ours: ${answer.status}`);
  if (!/^[\w-]{1,64}$/.test(answer.headers.get("x-request-id") ?? "")) problems.push("no request id");
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

async function deliver(
  origin: string,
  { operation, credentials }: { operation: ApiOperation; credentials: Record<string, string> },
  request: FuzzRequest,
): Promise<Answer> {
  const { url, own } = address(`${origin}${operation.path}`, request.parameters);
  const headers = { ...credentials, ...own };
  const method = operation.method.toUpperCase();
  const { body } = request;
  if (body.kind === "none") return send(url, { method, headers });
  const type = body.kind === "json" ? "application/json" : body.type;
  // Bytes, for fetch gives a text a content type of its own.
  const raw = Uint8Array.from(Buffer.from(body.text, "utf8"));
  return send(url, { method, raw, headers: type === null ? headers : { ...headers, "content-type": type } });
}

/** The URL with its parameters filled in, and the headers among them. */
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

/** One line for each operation, for a terminal. */
export function describeReport({ operationId, requests, statuses, wrong, failure }: FuzzReport): string {
  const counts = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`);
  const line = `${operationId.padEnd(28)} ${String(requests).padStart(6)} requests, ${String(wrong).padStart(6)} wrong   ${counts.join("  ")}`;
  return failure === null ? line : `${line}\n  FAILED ${failure}`;
}
