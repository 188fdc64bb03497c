import type { SimulationRead } from "../chains/simulator/simulation.ts";
import type { Context } from "../context.ts";
import type { UserCall } from "../orders/order-wallet-calls.ts";
import { readSimulationSetting } from "../orders/read-simulation-setting.ts";
import {
  allowanceRead,
  lastAmountIn,
  type SimulatedPayment,
  simulatePayment,
  type TokenPayment,
} from "../orders/simulate-order-payment.ts";
import type { Warning } from "../schemas/step-schema.ts";
import type { Vault } from "../vaults/vault.ts";
import type { ExitWay } from "./exit-preflight.ts";
import { simulateAmply, simulateWithOwnGas } from "./requests/simulate-in-limits.ts";

type Succeeded = Extract<SimulatedPayment, { ok: true }>;

/**
 * A successful simulation of an exit, with the allowance that its call needs, and how much of its approval it leaves,
 * both in the share token's smallest unit; `unused` is null if unknown.
 */
export type SimulatedExitCall = Succeeded & { approved: bigint; unused: bigint | null };

/** An exit to simulate. `enforced` is true if a contract enforces a minimum payment. */
interface ExitSimulation {
  payment: TokenPayment;
  call: UserCall;
  reads: readonly SimulationRead[];
  enforced: boolean;
}

/**
 * Simulates an exit with its approvals, like `simulatePayment` and in a setting that resembles a real transaction, and
 * reduces the approval to what the vault takes if that is known, less than all shares, and sufficient. Without an
 * enforced minimum, the result is that of `simulateWithOwnGas`, where the node applies gas limits. Throws what
 * `simulatePayment` throws.
 */
export async function simulateWithdrawalPayment(
  ctx: Context,
  input: ExitSimulation,
): Promise<SimulatedExitCall | Extract<SimulatedPayment, { ok: false }>> {
  const { payment, call, enforced } = input;
  const asked = { ...input, reads: [...input.reads, allowanceRead(payment)] };
  const fresh = await readSimulationSetting(ctx, payment.client.definition.chainId);
  const { first, setting } = await simulateAmply(fresh, (one) =>
    simulatePayment(ctx, { ...asked, payment: { ...payment, setting: one } }),
  );
  if (!first.ok) return first;
  const own = { ...asked, payment: { ...payment, setting } };
  const made = withoutLastRead(await approveExactly(ctx, { own, first }));
  // Only `eth_simulateV1`, whose results have logs, applies gas limits.
  if (enforced || made.simulation.calls.at(-1)?.logs == null) return made;
  // What such a call pays or records is known from simulations alone: their gas limits must not give them away to the
  // vault.
  const { approved, unused, calls } = made;
  const seen = await simulateWithOwnGas(made.gasUsed, (gas) =>
    simulatePayment(ctx, {
      ...own,
      payment: { ...own.payment, approved },
      call: { ...call, gas },
    }),
  );
  return seen.ok ? { ...withoutLastRead({ ...seen, approved, unused }), calls } : seen;
}

/** Reduces the approval of a simulation to what the vault takes, and simulates that. */
async function approveExactly(
  ctx: Context,
  { own, first }: { own: ExitSimulation; first: Succeeded },
): Promise<SimulatedExitCall> {
  const { amount } = own.payment;
  const left = lastAmountIn(first.simulation);
  // An allowance that stood before is the user's own.
  if (first.calls.length === 1 || left === 0n) return { ...first, approved: amount, unused: 0n };
  if (left === null || left > amount) return { ...first, approved: amount, unused: null };
  const approved = amount - left;
  const exact = await simulatePayment(ctx, { ...own, payment: { ...own.payment, approved } });
  const isExact = exact.ok && (exact.calls.length === 1 || lastAmountIn(exact.simulation) === 0n);
  return isExact ? { ...exact, approved, unused: 0n } : { ...first, approved: amount, unused: left };
}

/**
 * Returns the warnings about a simulated exit: `approval_unused` if a part of the approval to `spender` stays or may
 * stay, because the vault takes less than it demands, and `request_unverified` if the simulation returned no logs, which
 * alone show that a request is recorded.
 */
export function simulationWarnings(
  { unused, simulation }: Pick<SimulatedExitCall, "unused" | "simulation">,
  { mode, spender, vault }: Pick<ExitWay, "mode" | "spender"> & { vault: Pick<Vault, "name"> },
): Warning[] {
  const { name } = vault;
  const part = unused === null ? "a part" : `${unused} smallest units`;
  const approval = `${part} of the approval of ${name}'s shares to ${spender} may stay after this transaction`;
  const request = `no node shows now whether ${name} records the request for this account`;
  const isUnseen = mode !== "instant" && (simulation.calls.at(-1)?.logs ?? null) === null;
  return [
    ...(unused === 0n || spender === null ? [] : [{ code: "approval_unused", detail: approval }]),
    ...(isUnseen ? [{ code: "request_unverified", detail: request }] : []),
  ];
}

/** Returns a simulation without the read of the allowance, which the caller did not request. */
function withoutLastRead(made: SimulatedExitCall): SimulatedExitCall {
  const { simulation } = made;
  const [before, after] = [simulation.before.slice(0, -1), simulation.after.slice(0, -1)];
  return { ...made, simulation: { ...simulation, before, after } };
}
