import type { SimulationRead } from "../chains/simulator/simulation.ts";
import type { Context } from "../context.ts";
import type { UserCall } from "../orders/order-wallet-calls.ts";
import {
  allowanceRead,
  lastAmountIn,
  type SimulatedPayment,
  simulatePayment,
  type TokenPayment,
} from "../orders/simulate-order-payment.ts";

type Succeeded = Extract<SimulatedPayment, { ok: true }>;

/** A successful simulation of an exit, with the allowance that its call needs, in the share token's smallest unit. */
export type SimulatedExitCall = Succeeded & { approved: bigint };

/**
 * Simulates an exit with its approvals, like `simulatePayment`, and reduces the approval to what the vault takes if
 * that is known, less than all shares, and sufficient. Throws what `simulatePayment` throws.
 */
export async function simulateWithdrawalPayment(
  ctx: Context,
  input: { payment: TokenPayment; call: UserCall; reads: readonly SimulationRead[] },
): Promise<SimulatedExitCall | Extract<SimulatedPayment, { ok: false }>> {
  const { payment } = input;
  const { amount } = payment;
  const reads = [...input.reads, allowanceRead(payment)];
  const first = await simulatePayment(ctx, { ...input, reads });
  if (!first.ok) return first;
  const all = { ...withoutLastRead(first), approved: amount };
  const left = lastAmountIn(first.simulation);
  if (first.calls.length === 1 || left === null || left === 0n || left > amount) return all;
  const approved = amount - left;
  const exact = await simulatePayment(ctx, { ...input, payment: { ...payment, approved }, reads });
  if (!exact.ok || (exact.calls.length > 1 && lastAmountIn(exact.simulation) !== 0n)) return all;
  return { ...withoutLastRead(exact), approved };
}

/** Returns a simulation without the read of the allowance, which the caller did not request. */
function withoutLastRead(made: Succeeded): Succeeded {
  const { simulation } = made;
  const [before, after] = [simulation.before.slice(0, -1), simulation.after.slice(0, -1)];
  return { ...made, simulation: { ...simulation, before, after } };
}
