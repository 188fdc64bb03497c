import type { SimulatedCall, SimulationResult } from "../../chains/simulator/simulation.ts";
import type { SimulationSetting } from "../../chains/simulator/simulation-setting.ts";
import { gasLimit } from "../../orders/order-wallet-calls.ts";

/** The setting of a simulation, and the gas limit of its only call if it differs from the setting's. */
interface Limits {
  setting: SimulationSetting | null;
  own: { gas?: bigint };
}

/** What a simulation shows of a call: whether it succeeds, and the gas that it uses. */
interface Outcome {
  ok: boolean;
  gasUsed: bigint;
}

/** A simulation with its only call, null if it was not made. The transaction's limit is `gasLimit(gasUsed)`. */
interface LimitedSimulation extends Outcome {
  simulation: SimulationResult;
  made: SimulatedCall | null;
}

/** Gas limit of a call that needs more than a setting's, in limits of the setting. */
const LARGE_LIMIT = 3n;

/**
 * Simulates a call in a setting; in one with three times the gas, and the funds for it, if it fails after more than half
 * of the setting's gas. Returns the last simulation with its setting. Errors of `simulate` propagate.
 */
export async function simulateAmply<T extends Outcome>(
  setting: SimulationSetting | null,
  simulate: (setting: SimulationSetting | null) => Promise<T>,
): Promise<{ first: T; setting: SimulationSetting | null }> {
  const first = await simulate(setting);
  // A contract on the way may report a lack of gas in any words.
  if (first.ok || setting === null || first.gasUsed <= setting.gas / 2n) return { first, setting };
  const [gas, funds] = [setting.gas * LARGE_LIMIT, setting.funds * LARGE_LIMIT];
  const large = { ...setting, gas, funds };
  return { first: await simulate(large), setting: large };
}

/**
 * Simulates a call that used `gasUsed` with its transaction's own limit; if it then reverts, with twice the gas, which
 * is then the transaction's. Where no contract enforces a minimum, this result counts, because a contract must not tell
 * simulations apart by their gas. Errors of `simulate` propagate.
 */
export async function simulateWithOwnGas<T extends Outcome>(
  gasUsed: bigint,
  simulate: (gas: bigint) => Promise<T>,
): Promise<T> {
  const limited = await simulate(gasLimit(gasUsed));
  if (limited.ok) return { ...limited, gasUsed };
  const doubled = gasUsed * 2n;
  return { ...(await simulate(gasLimit(doubled))), gasUsed: doubled };
}

/**
 * Simulates a call for which no contract enforces a minimum with ample gas and then, if it succeeds, with its
 * transaction's own (see `simulateAmply`, `simulateWithOwnGas`). Errors of `simulate` propagate.
 */
export async function simulateInLimits(
  setting: SimulationSetting | null,
  simulate: (limits: Limits) => Promise<SimulationResult>,
): Promise<LimitedSimulation> {
  const within = async (limits: Limits): Promise<LimitedSimulation> => {
    const simulation = await simulate(limits);
    const made = simulation.calls.at(0) ?? null;
    return { simulation, made, ok: made?.ok === true, gasUsed: made?.gasUsed ?? 0n };
  };
  const ample = await simulateAmply(setting, (one) => within({ setting: one, own: {} }));
  const { first, setting: used } = ample;
  // Only `eth_simulateV1`, whose results have logs, applies gas limits.
  if (!first.ok || first.made?.logs == null) return first;
  return simulateWithOwnGas(first.gasUsed, (gas) => within({ setting: used, own: { gas } }));
}
