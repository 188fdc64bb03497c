import { type Hex, hexToBigInt, isHex } from "viem";
import { AppError } from "../../../src/errors.ts";
import { deductParts } from "../../../src/lib/amount.ts";
import type { TransferRequest, VerifiedTransfer } from "../../../src/providers/provider.ts";
import { answerOf, type Scenario } from "./answers.ts";
import { type CallTree, encodeCall } from "./calls.ts";
import { verifyAnswer } from "./harness.ts";
import {
  ADDRESSES,
  another,
  arrays,
  leafPaths,
  type Path,
  read,
  replaceAddress,
  reshape,
  write,
} from "./mutate.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";
import { Random } from "./random.ts";
import { scenarios } from "./scenarios.ts";

export interface MutationRun {
  tried: number;
  /** Number of mutations that could not be encoded or changed nothing. */
  void: number;
  refused: number;
  /** Number of accepted mutations with the same amounts and receivers. */
  harmless: number;
  /** Descriptions of accepted mutations that changed amounts, receivers or allowances. */
  violations: string[];
}

interface Mutated {
  answer: Record<string, unknown>;
  what: string;
}

/**
 * Changes one or two fields of valid responses, in the JSON, the decoded calldata or its raw bytes, and verifies each:
 * every change of amounts, receivers or allowances must be rejected. The same seed gives the same run.
 */
export function runMutations(options: { seed: number; count: number }): MutationRun {
  const random = new Random(options.seed);
  const run: MutationRun = { tried: 0, void: 0, refused: 0, harmless: 0, violations: [] };
  const originals = scenarios.map((scenario) => ({ scenario, answer: answerOf(scenario) }));
  while (run.tried < options.count) {
    const { scenario, answer } = random.pick(originals);
    const mutated = mutate(random, scenario);
    if (mutated === null || sameJson(mutated.answer, answer)) {
      run.void += 1;
      continue;
    }
    run.tried += 1;
    judge(run, { scenario, original: answer, mutated });
  }
  return run;
}

function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function mutate(random: Random, scenario: Scenario): Mutated | null {
  const copy = structuredClone(scenario);
  const changes = 1 + random.integer(2);
  const what: string[] = [];
  const later: ((answer: Record<string, unknown>) => void)[] = [];
  for (let change = 0; change < changes; change += 1) {
    const kind = random.integer(10);
    if (kind < 1) what.push(changeTogether(random, copy.tree));
    else if (kind < 6) what.push(changeTree(random, copy.tree));
    else if (kind < 9) later.push((answer) => what.push(changeTree(random, answer)));
    else later.push((answer) => what.push(changeBytes(random, answer)));
  }
  try {
    const answer = answerOf(scenario);
    (answer["transactionRequest"] as Record<string, unknown>)["data"] = encodeCall(copy.tree);
    for (const apply of later) apply(answer);
    return { answer, what: `${scenario.name}: ${what.join(" and ")}` };
  } catch {
    return null;
  }
}

/** Changes a leaf or, sometimes, a list of a tree in place. Returns a description of the change. */
function changeTree(random: Random, tree: unknown): string {
  const lists = arrays(tree);
  if (lists.length > 0 && random.integer(8) === 0) {
    const path = random.pick(lists);
    write(tree, { path, value: reshape(random, read(tree, path) as unknown[]) });
    return `list ${path.join(".")}`;
  }
  const path = random.pick(leafPaths(tree));
  const before = read(tree, path);
  const value = random.integer(30) === 0 && isJsonPath(path) ? undefined : another(random, before);
  write(tree, { path, value });
  return `${path.join(".")}: ${show(before)} -> ${show(value)}`;
}

/**
 * Changes several related fields in place, as an attacker who knows the checks would. Returns a description of the
 * change.
 */
function changeTogether(random: Random, tree: CallTree): string {
  const multiplier = tree.kind === "bridge" ? tree.facet["outputAmountMultiplier"] : null;
  if (tree.kind === "bridge" && typeof multiplier === "bigint" && random.integer(2) === 0) {
    const factor = BigInt(2 + random.integer(9));
    tree.bridge.minAmount /= factor;
    tree.facet["outputAmountMultiplier"] = multiplier * factor;
    return `minAmount / ${factor}, multiplier * ${factor}`;
  }
  const [from, to] = [random.pick(ADDRESSES), random.pick(ADDRESSES)];
  replaceAddress(tree, { from, to });
  return `${from} -> ${to} throughout`;
}

/** Returns true for paths within the JSON. Leaves of calldata cannot be removed. */
const isJsonPath = (path: Path): boolean =>
  ["action", "estimate", "transactionRequest"].includes(String(path[0]));

function changeBytes(random: Random, answer: Record<string, unknown>): string {
  const transaction = answer["transactionRequest"] as Record<string, unknown>;
  const data = String(transaction["data"]);
  transaction["data"] = another(random, data);
  return "raw calldata";
}

const show = (value: unknown): string => String(value).slice(0, 80);

function judge(
  run: MutationRun,
  test: { scenario: Scenario; original: Record<string, unknown>; mutated: Mutated },
): void {
  const { scenario, original, mutated } = test;
  let built: VerifiedTransfer;
  try {
    built = verifyAnswer(scenario.request, mutated.answer);
  } catch (error) {
    run.refused += 1;
    const expected = error instanceof Error && (error.name === "ZodError" || error instanceof AppError);
    if (!expected) run.violations.push(`${mutated.what}: threw ${String(error)}`);
    return;
  }
  const problem = difference(scenario.request, { original, answer: mutated.answer, built });
  if (problem === null) run.harmless += 1;
  else run.violations.push(`${mutated.what}: ${problem}`);
}

function difference(
  request: TransferRequest,
  test: { original: Record<string, unknown>; answer: Record<string, unknown>; built: VerifiedTransfer },
): string | null {
  const { original, answer, built } = test;
  const minIn = request.call?.minIn ?? null;
  let after: Outcome;
  try {
    after = outcomeOf(envelopeOf(answer), minIn);
  } catch (error) {
    return `cannot be read: ${String(error).slice(0, 80)}`;
  }
  const before = outcomeOf(envelopeOf(original), minIn);
  for (const key of Object.keys(before) as (keyof Outcome)[]) {
    // Fees are bound by what the transaction guarantees, not by who takes them.
    if (key === "least" || key === "bridged" || key === "fees") continue;
    if (String(before[key]) !== String(after[key])) return `${key} ${before[key]} became ${after[key]}`;
  }
  return weaker(request, { before, after, built }) ?? promises(envelopeOf(answer), built, request);
}

/**
 * Returns a description of how a mutation weakens the transfer, or null. The minimum output may change within the
 * slippage, as long as a relayer would still fill the request.
 */
function weaker(
  request: TransferRequest,
  test: { before: Outcome; after: Outcome; built: VerifiedTransfer },
): string | null {
  const { before, after, built } = test;
  const floor = minFloor(request, built);
  if (after.least < floor) return `least ${after.least} is under ${floor}`;
  if (built.toAmountMin > after.least) return `promises ${built.toAmountMin}, least ${after.least}`;
  if (before.bridged === null || after.bridged === null) return null;
  // Across asks relayers for `least` against `bridged`: the ratio must stay what a relayer would fill.
  if (after.least * before.bridged > before.least * after.bridged * 2n) return "asks for more than is sent";
  return null;
}

function minFloor(request: TransferRequest, built: VerifiedTransfer): bigint {
  return request.call === null ? deductParts(built.toAmount, request.slippage) : request.call.minIn;
}

function promises(
  envelope: ReturnType<typeof envelopeOf>,
  built: VerifiedTransfer,
  request: TransferRequest,
): string | null {
  if (built.transaction.to.toLowerCase() !== envelope.to.toLowerCase()) return "built.to differs";
  if (built.transaction.data !== envelope.data) return "built.data differs";
  if (built.transaction.value !== envelope.value) return "built.value differs";
  if (built.toAmount < built.toAmountMin) return "toAmount under toAmountMin";
  const native = /^0x0{40}$/.test(request.fromToken);
  return (built.spender === null) === native ? null : "spender";
}

function envelopeOf(answer: Record<string, unknown>) {
  const { to, chainId, value = "0x0", data } = answer["transactionRequest"] as Record<string, unknown>;
  const amount = isHex(value) && value.length > 2 ? hexToBigInt(value) : -1n;
  return {
    to: String(to),
    chainId: Number(chainId),
    value: amount,
    data: String(data).toLowerCase() as Hex,
  };
}
