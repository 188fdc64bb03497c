import type { SimulatedCall, SimulationResult } from "../../chains/simulator/simulation.ts";
import type { SimulationSetting } from "../../chains/simulator/simulation-setting.ts";
import { gasLimit } from "../../orders/order-wallet-calls.ts";

/** The setting of a simulation, and the gas limit of its only call if it differs from the setting's. */
interface Limits {
  setting: SimulationSetting | null;
  own: { gas?: bigint };
}

/** A simulation with its only call, null if it was not made. The transaction's limit is `gasLimit(gasUsed)`. */
interface LimitedSimulation {
  simulation: SimulationResult;
  made: SimulatedCall | null;
  gasUsed: bigint;
}

/** Gas limit of a call that needs more than a setting's, in limits of the setting. */
const LARGE_LIMIT = 3n;

/** Returns a setting with three times the gas of a call, and the funds for it. */
export const withLargeLimit = (setting: SimulationSetting): SimulationSetting => ({
  ...setting,
  ...{ gas: setting.gas * LARGE_LIMIT, funds: setting.funds * LARGE_LIMIT },
});

/** Returns true if a failed call may have needed more gas than the setting's limit: it used more than half of that. */
export const mayNeedMoreGas = (gasUsed: bigint, setting: SimulationSetting): boolean =>
  gasUsed > setting.gas / 2n;

/**
 * Simulates a call for which no contract enforces a minimum with ample gas and then with its transaction's own limit,
 * because a contract must not tell the two apart by their gas; if it then reverts, with twice the gas, which is then the
 * transaction's. Returns the last simulation, or the first if the call failed in it. Errors of `simulate` propagate.
 */
export async function simulateInLimits(
  setting: SimulationSetting | null,
  simulate: (limits: Limits) => Promise<SimulationResult>,
): Promise<LimitedSimulation> {
  const within = async (limits: Limits): Promise<LimitedSimulation> => {
    const simulation = await simulate(limits);
    const made = simulation.calls.at(0) ?? null;
    return { simulation, made, gasUsed: made?.gasUsed ?? 0n };
  };
  const first = await within({ setting, own: {} });
  const isShort = setting !== null && first.made?.ok === false && mayNeedMoreGas(first.gasUsed, setting);
  const used = isShort ? withLargeLimit(setting) : setting;
  const ample = isShort ? await within({ setting: used, own: {} }) : first;
  // Only `eth_simulateV1`, whose results have logs, applies gas limits.
  if (ample.made === null || !ample.made.ok || ample.made.logs === null) return ample;
  const { gasUsed } = ample;
  const limited = await within({ setting: used, own: { gas: gasLimit(gasUsed) } });
  if (limited.made?.ok === true) return { ...limited, gasUsed };
  const again = await within({ setting: used, own: { gas: gasLimit(gasUsed * 2n) } });
  return { ...again, gasUsed: gasUsed * 2n };
}
