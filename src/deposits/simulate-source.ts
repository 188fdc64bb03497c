import type { SimulationRead } from "../chains/simulator/types.ts";
import type { Context } from "../context.ts";
import { failure, failureFrom } from "../errors.ts";
import { isNative } from "../lib/address.ts";
import type { BuiltMove } from "../providers/provider.ts";
import { explainRevert } from "../vaults/reverts.ts";
import { balanceRead, rise } from "./effect.ts";
import { paidNatively } from "./moved.ts";
import { type Payment, type SimulatedPayment, simulatePayment } from "./simulate-payment.ts";

/** A source transaction that was seen to work. */
export interface SimulatedSource {
  source: Extract<SimulatedPayment, { ok: true }>;
  /** By how much the watched balance rose, smallest unit; null where nothing was watched or a node could not read it. */
  gained: bigint | null;
}

/**
 * Runs a provider's transaction from the user on the source chain, after its approvals, and sees that it takes no
 * more of the token than was asked. `watch` is a balance that it may raise. Throws `would_revert`,
 * `upstream_rejected`, `simulation_unavailable`.
 */
export async function simulateSource(
  ctx: Context,
  input: { payment: Payment; move: BuiltMove; watch: SimulationRead | null },
): Promise<SimulatedSource> {
  const { payment, move, watch } = input;
  const { to, value, data } = move.transaction;
  const own = paidNatively(payment) ? [] : [balanceRead(payment.token, payment.payer)];
  const reads = [...own, ...(watch === null ? [] : [watch])];
  const made = await simulatePayment(ctx, { payment, call: { target: to, value, data }, reads });
  if (!made.ok) {
    const { text } = explainRevert(made.revert);
    throw failure("would_revert", "the transfer would revert on its source chain", { revert: text });
  }
  const spent = own.length === 0 ? null : rise(made.simulation, 0);
  if (spent !== null && -spent > payment.amount) {
    throw failureFrom(
      "upstream_rejected",
      "the provider's transaction takes more than was asked",
      new Error(`${-spent} of ${payment.amount}`),
    );
  }
  const gained = watch === null ? null : rise(made.simulation, own.length);
  return { source: made, gained };
}

/** Watches a token of an account's; native cannot be read like that. */
export function watchOf(token: `0x${string}`, account: `0x${string}`): SimulationRead | null {
  return isNative(token) ? null : balanceRead(token, account);
}
