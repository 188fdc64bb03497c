import { answerOf } from "./answers.ts";
import type { BridgeTree, MessageTree, SwapTree } from "./calls.ts";
import { refusedField, verifyAnswer } from "./harness.ts";
import { type Path, write } from "./mutate.ts";
import { scenarioOf } from "./scenarios.ts";

/** Changes the calldata of a scenario's response, and returns the field in the resulting error. */
export function calldata<T>(name: string, change: (tree: T) => void): string {
  const scenario = scenarioOf(name);
  const answer = answerOf(scenario);
  change(scenario.tree as T);
  (answer["transactionRequest"] as Record<string, unknown>)["data"] = (
    answerOf(scenario)["transactionRequest"] as Record<string, unknown>
  )["data"];
  return refusedField(() => verifyAnswer(scenario.request, answer));
}

/** Changes the JSON of a scenario's response, and returns the field in the resulting error. */
export function json(name: string, change: { path: Path; value: unknown }): string {
  const scenario = scenarioOf(name);
  const answer = answerOf(scenario);
  write(answer, change);
  return refusedField(() => verifyAnswer(scenario.request, answer));
}

/** Gives a change a name from the fields that it sets, for the test's title. */
function changing<F extends object>([what, change]: readonly [string, object], apply: F): F {
  return Object.defineProperty(apply, "name", { value: `${what} ${Object.keys(change).join(", ")}` });
}

export const bridge = (change: Partial<BridgeTree["bridge"]>) =>
  changing(["bridge", change], (tree: BridgeTree) => void Object.assign(tree.bridge, change));
export const facet = (change: Record<string, unknown>) =>
  changing(["facet", change], (tree: BridgeTree) => void Object.assign(tree.facet, change));
export const send = (change: Record<string, unknown>) =>
  changing(
    ["send", change],
    (tree: BridgeTree) => void Object.assign(tree.facet["sendParams"] as object, change),
  );
export const swap = (index: number, change: Partial<SwapTree>) =>
  changing([`swap ${index}`, change], (tree: { swaps: SwapTree[] }) => {
    Object.assign(tree.swaps[index] ?? {}, change);
  });
export const fee = (change: Record<string, unknown>) =>
  changing(["fee", change], (tree: { swaps: SwapTree[] }) => {
    Object.assign(tree.swaps[0]?.callData ?? {}, change);
  });
export const message = (change: (message: MessageTree) => void) => (tree: BridgeTree) => {
  const params = tree.facet["sendParams"] as BridgeTree["facet"];
  change((tree.facet["message"] ?? params["composeMsg"]) as MessageTree);
};
export const finalCall = (change: Partial<SwapTree>) =>
  message((tree) => Object.assign(tree.swaps[0] ?? {}, change));
