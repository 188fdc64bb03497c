import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ApiContract } from "./api-contract.ts";
import { type AnswerLimits, checkAnswer } from "./check-answer.ts";
import { sendRequest } from "./http-request.ts";
import { type ListedIds, type Probe, planProbes } from "./probes.ts";

/** One line of the report; the status is null if there was no response, `ms` is the duration. */
export interface Finding {
  name: string;
  status: number | null;
  ms: number;
  /** Problems of the response. Empty if it passed. */
  problems: readonly string[];
}

const committed = join(import.meta.dirname, "../../openapi.json");

/** A deployment, by its URL without trailing slash, and the limits for its answers. */
export interface SmokeTarget extends Omit<AnswerLimits, "contract"> {
  url: string;
}

/**
 * Requests every operation of a deployment once, without writing, and checks the responses against the deployment's own
 * document, which must contain every operation of this version. Throws if the deployment cannot be reached, its
 * document is invalid, or it lists no vault or chain.
 */
export async function smoke({ url, ...limits }: SmokeTarget): Promise<Finding[]> {
  const contract = await readContract(url);
  const known = await readKnown(url);
  const findings: Finding[] = [missingOperations(contract)];
  for (const probe of planProbes(contract.operations, known))
    findings.push(await ask(probe, { url, measure: { ...limits, contract } }));
  return findings;
}

async function ask(probe: Probe, { url, measure }: { url: string; measure: AnswerLimits }): Promise<Finding> {
  const startedAt = performance.now();
  const took = () => performance.now() - startedAt;
  try {
    // Twice the limit, to distinguish a slow answer from none.
    const signal = AbortSignal.timeout(2 * measure.maxMs);
    const requestId = `smoke-${crypto.randomUUID()}`;
    const headers = { ...probe.request.headers, "x-request-id": requestId };
    const answer = await sendRequest(`${url}${probe.path}`, { ...probe.request, headers, signal });
    const ms = took();
    const problems = checkAnswer(probe, { answer, ms, requestId, measure });
    return { name: probe.name, status: answer.status, ms, problems };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { name: probe.name, status: null, ms: took(), problems: [`no answer: ${why}`] };
  }
}

/** Reads the deployment's OpenAPI document. Throws when it is invalid. */
async function readContract(url: string): Promise<ApiContract> {
  const answer = await sendRequest(`${url}/openapi.json`);
  const refuse = (why: string) =>
    new Error(`/openapi.json is not a valid document: ${answer.status}, ${why}`);
  if (answer.status !== 200 || answer.json === undefined) throw refuse(answer.text.slice(0, 200));
  try {
    return new ApiContract(answer.json);
  } catch (error) {
    if (error instanceof z.ZodError) throw refuse(z.prettifyError(error).slice(0, 200));
    throw error;
  }
}

/** Reports operations of this version that the deployment's document lacks. */
function missingOperations(contract: ApiContract): Finding {
  const idsOf = ({ operations }: ApiContract) => operations.map(({ operationId }) => operationId);
  const deployed = new Set(idsOf(contract));
  const own = new ApiContract(JSON.parse(readFileSync(committed, "utf8")));
  const missing = idsOf(own).filter((id) => !deployed.has(id));
  const problems = missing.map((id) => `the document lacks the operation ${id}`);
  return { name: "the document", status: null, ms: 0, problems };
}

/**
 * Returns a listed vault and chain. Throws if the deployment lists none, because its registry is empty or cannot be
 * read.
 */
async function readKnown(url: string): Promise<ListedIds> {
  const first = async <S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>> => {
    const answer = await sendRequest(`${url}${path}`);
    const parsed = z.tuple([schema]).rest(z.unknown()).safeParse(answer.json);
    if (!parsed.success)
      throw new Error(`${path} lists nothing: ${answer.status} ${answer.text.slice(0, 200)}`);
    return parsed.data[0] as z.output<S>;
  };
  const vault = await first("/v1/vaults?limit=1", z.object({ vault_id: z.string() }));
  const chain = await first("/v1/chains", z.object({ chain_id: z.int() }));
  return { vaultId: vault.vault_id, chainId: chain.chain_id };
}
