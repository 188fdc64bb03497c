import {
  decodeAbiParameters,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
} from "viem";
import { AppError } from "../../../src/errors.ts";
import { depositAbi, instructionsParameters } from "../../../src/providers/across/across-abi.ts";
import {
  acceptTerms,
  findQuoteFault,
  toOutputUnits,
} from "../../../src/providers/across/across-quote-checks.ts";
import { SuggestedFees } from "../../../src/providers/across/across-schemas.ts";
import { findDepositDifferences } from "../../../src/providers/across/verify-across-deposit.ts";
import type { TransferRequest } from "../../../src/providers/provider.ts";
import { another, arrays, leafPaths, read, reshape, write } from "../lifi/mutate.ts";
import type { MutationRun } from "../lifi/mutations.ts";
import { Random } from "../lifi/random.ts";
import { built, kinds } from "./built.ts";
import { feesBody, routeOf } from "./stage.ts";

type Built = ReturnType<typeof built>;
const NOW = 1_900_000_060;

/**
 * Changes one or two fields of built transactions, including their message, and of the API's quotes. Verification must
 * reject a changed transaction; a changed quote must be rejected or stay within the slippage. The same seed gives the
 * same run.
 */
export function runAcrossMutations(options: { seed: number; count: number }): MutationRun {
  const random = new Random(options.seed);
  const run: MutationRun = { tried: 0, void: 0, refused: 0, harmless: 0, violations: [] };
  const originals = kinds.map(([name, change, integratorId]) => ({
    name,
    made: built(change, integratorId),
  }));
  while (run.tried < options.count) {
    const { name, made } = random.pick(originals);
    if (random.integer(2) === 0) mutateTransaction(run, { random, name, made });
    else mutatePrice(run, { random, name, request: made.expected.request });
  }
  return run;
}

function mutateTransaction(run: MutationRun, job: { random: Random; name: string; made: Built }): void {
  const { random, name, made } = job;
  const { transaction, expected } = made;
  const data =
    random.integer(5) === 0
      ? changedBytes(random, transaction.data)
      : changedFields(random, transaction.data);
  if (data === null || data.toLowerCase() === transaction.data.toLowerCase()) {
    run.void += 1;
    return;
  }
  run.tried += 1;
  if (findDepositDifferences({ ...transaction, data }, expected).length > 0) run.refused += 1;
  else run.violations.push(`${name}: ${data}`);
}

const changedBytes = (random: Random, data: Hex): Hex => String(another(random, data)) as Hex;

/** Changes one or two fields of a deposit's calldata. Null if the result cannot be encoded. */
function changedFields(random: Random, data: Hex): Hex | null {
  const { args } = decodeFunctionData({ abi: depositAbi(), data });
  const tree = { args: [...args] as unknown[], message: messageTree(args[11]) };
  for (let change = 0; change <= random.integer(2); change += 1) changeTree(random, tree);
  try {
    if (tree.message !== null) {
      tree.args[11] = encodeAbiParameters(instructionsParameters, [tree.message] as never);
    }
    const own = encodeFunctionData({ abi: depositAbi(), functionName: "deposit", args: tree.args as never });
    const canonical = encodeFunctionData({ abi: depositAbi(), functionName: "deposit", args });
    return `${own}${data.slice(canonical.length)}` as Hex;
  } catch {
    return null;
  }
}

function messageTree(message: Hex): unknown {
  return message === "0x" ? null : structuredClone(decodeAbiParameters(instructionsParameters, message)[0]);
}

function changeTree(random: Random, tree: unknown): void {
  const lists = arrays(tree).filter((path) => path[0] === "message");
  if (lists.length > 0 && random.integer(6) === 0) {
    const path = random.pick(lists);
    write(tree, { path, value: reshape(random, read(tree, path) as unknown[]) });
    return;
  }
  const path = random.pick(leafPaths(tree).filter((leaf) => !(leaf[0] === "args" && Number(leaf[1]) === 11)));
  write(tree, { path, value: another(random, read(tree, path)) });
}

/**
 * Changes the API's quote. If it is accepted, it must suffice for the destination call and contain only the requested
 * tokens and known contracts.
 */
function mutatePrice(
  run: MutationRun,
  job: { random: Random; name: string; request: TransferRequest },
): void {
  const { random, name, request } = job;
  const body = feesBody(request, NOW);
  const before = JSON.stringify(body);
  for (let change = 0; change <= random.integer(2); change += 1) {
    const path = random.pick(leafPaths(body));
    write(body, { path, value: another(random, read(body, path)) });
  }
  if (JSON.stringify(body) === before) {
    run.void += 1;
    return;
  }
  run.tried += 1;
  const asked = { request, route: routeOf(request), now: NOW };
  try {
    const fees = SuggestedFees.parse(body);
    const terms = acceptTerms(fees, asked);
    const most = toOutputUnits(asked);
    // Whether the output is fair is judged for all providers alike, by src/orders/order-fairness-rules.ts.
    const floor = request.call?.minIn ?? 1n;
    const within =
      terms.outputAmount <= most && terms.outputAmount >= floor && findQuoteFault(fees, asked) === null;
    const inTime = terms.fillDeadline > NOW && terms.fillDeadline <= NOW + 21_600;
    if (within && inTime) run.harmless += 1;
    else run.violations.push(`${name}: price ${JSON.stringify(body)}`);
  } catch (error) {
    run.refused += 1;
    const expected = error instanceof AppError || (error instanceof Error && error.name.includes("Zod"));
    if (!expected) run.violations.push(`${name}: threw ${String(error)}`);
  }
}
