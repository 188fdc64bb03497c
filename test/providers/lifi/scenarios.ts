import type { Scenario } from "./answers.ts";
import { bridgeScenarios } from "./scenarios/bridges.ts";
import { swapScenarios } from "./scenarios/swaps.ts";

/** A complete valid answer for every entry point that is supported. */
export const scenarios: readonly Scenario[] = [...bridgeScenarios, ...swapScenarios];

/** The scenario of a name. */
export function scenarioOf(name: string): Scenario {
  const scenario = scenarios.find((candidate) => candidate.name === name);
  if (scenario === undefined) throw new Error(`no scenario ${name}`);
  return structuredClone(scenario);
}
