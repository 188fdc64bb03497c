import type { Scenario } from "./answers.ts";
import { acrossScenarios } from "./scenarios/across.ts";
import { cctpScenarios } from "./scenarios/cctp.ts";
import { stargateScenarios } from "./scenarios/stargate.ts";
import { swapScenarios } from "./scenarios/swaps.ts";

/** A complete valid response for every supported function. */
export const scenarios: readonly Scenario[] = [
  ...acrossScenarios,
  ...stargateScenarios,
  ...cctpScenarios,
  ...swapScenarios,
];

/** Returns the scenario with a name. */
export function scenarioOf(name: string): Scenario {
  const scenario = scenarios.find((candidate) => candidate.name === name);
  if (scenario === undefined) throw new Error(`no scenario ${name}`);
  return structuredClone(scenario);
}
