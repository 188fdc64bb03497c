import { type Address, encodeFunctionData, type Hex, hexToBigInt, parseAbi, size } from "viem";
import { runSimulation } from "../../chains/simulator/run-simulation.ts";
import type { SimulationRead, SimulationResult } from "../../chains/simulator/simulation.ts";
import type { Context } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { mulDivDown } from "../../lib/amount.ts";
import { once } from "../../lib/once.ts";
import { balanceOfRead, increaseOf, paymentOverrides } from "../../orders/simulate-order-payment.ts";
import { entryOf, exitCalls, inTime, type Redemption } from "./proof-exit-calls.ts";

const previewAbi = once(() => parseAbi(["function previewRedeem(uint256) view returns (uint256)"]));

/**
 * Returns the assets that a simulated redemption would have paid for all shares of the deposit, by what it paid for the
 * redeemed ones, rounded down, or null if unknown.
 */
export function paidFor(
  { deposit, shares, redeemed }: Pick<Redemption, "deposit" | "shares" | "redeemed">,
  made: SimulationResult,
): bigint | null {
  const change = increaseOf(made, 0);
  const paid = change === null ? wordOf(made.calls.at(-1)?.returnData) : deposit.amount + change;
  return paid === null ? null : mulDivDown(paid, shares, redeemed);
}

/** As `simulateExit`, but with a later time or further reads. Returns null also if no node can simulate that. */
export function simulateLater(
  ctx: Context,
  of: Redemption & ({ after: number } | { delay: number } | { reads: readonly SimulationRead[] }),
): Promise<SimulationResult | null> {
  return nullIfUnavailable(simulateExit(ctx, of));
}

/** Returns the result of a simulation, or null if it ends with `simulation_unavailable`; other errors propagate. */
export async function nullIfUnavailable<T>(simulation: Promise<T>): Promise<T | null> {
  try {
    return await simulation;
  } catch (error) {
    if (error instanceof AppError && error.code === "simulation_unavailable") return null;
    throw error;
  }
}

/**
 * Simulates a deposit and the redemption of some shares: at once, `after` seconds later, or both `delay` seconds from
 * now. Its reads are the user's balance of the deposited token, the vault's preview, the user's shares and `reads`. Null
 * if the deposit fails. Throws `simulation_unavailable` and errors of the RPC nodes.
 */
export async function simulateExit(
  ctx: Context,
  of: Redemption & { after?: number; delay?: number; reads?: readonly SimulationRead[] },
): Promise<SimulationResult | null> {
  const { entry, common } = entryOf(ctx, of);
  const { vault } = of.deposit;
  const exit = exitCalls(of);
  const made = await runSimulation(of.payment.client, {
    ...{ ...common, overrides: await paymentOverrides(ctx, of.payment) },
    reads: [
      ...common.reads,
      previewRead(vault.address, of.redeemed),
      balanceOfRead(vault.shareToken, of.deposit.user),
      ...(of.reads ?? []),
    ],
    ...inTime({ entry, exit, time: common.time, after: of.after, delay: of.delay }),
  });
  if (made.failedAt === null || made.failedAt >= entry.length) return made;
  return of.gas === null ? null : simulateExit(ctx, { ...of, gas: null });
}

/** Returns the read of a vault's own preview of redeeming the shares (`previewRedeem`). */
export const previewRead = (target: Address, shares: bigint) => ({
  target,
  data: encodeFunctionData({ abi: previewAbi(), functionName: "previewRedeem", args: [shares] }),
});

/** Returns a word of return data as a number, or null if the data is not exactly one word. */
export const wordOf = (data: Hex | undefined): bigint | null =>
  data !== undefined && size(data) === 32 ? hexToBigInt(data) : null;
