import { type Hex, hexToBigInt, size } from "viem";
import type { SimulationResult } from "../../chains/simulator/simulation.ts";
import { failure } from "../../errors.ts";
import { PARTS_PER_BILLION } from "../../lib/amount.ts";
import type { Exit } from "../exit-calldata.ts";
import { MAX_EXIT_FEE } from "../withdrawal-refusals.ts";

/**
 * Returns the views of the shares in the user's open requests. A simulation reads them before and after a new request,
 * to see whether the vault replaces the open ones. Empty for an instant redemption, and for families without this
 * check.
 */
export function openRequestReads({ order, way }: Exit) {
  const { exits, vault, user } = order;
  const views = way.mode === "instant" ? [] : (exits.openShares?.(vault, user) ?? []);
  return views.map(({ to, data }) => ({ target: to, data }));
}

/**
 * Throws `request_pending` if a simulated request replaces the user's open ones without payment, and
 * `simulation_unavailable` if nothing was paid and their shares could not be read. `first` is the index of the first of
 * `openRequestReads` among the simulation's reads; `paid` is what the user received in the simulation, in the paid
 * token's smallest unit.
 */
export function requireOpenKept(
  exit: Exit,
  { simulation, first, paid }: { simulation: SimulationResult; first: number; paid: bigint },
): void {
  const sumOf = (answers: SimulationResult["before"]) =>
    openRequestReads(exit).reduce<bigint | null>((sum, _, index) => {
      const own = wordOf(answers[first + index]);
      return sum === null || own === null ? null : sum + own;
    }, 0n);
  const [open, then] = [sumOf(simulation.before), sumOf(simulation.after)];
  if (open === 0n || paid > 0n) return;
  const { name } = exit.order.vault;
  if (open === null || then === null)
    throw failure("simulation_unavailable", `the account's open requests with ${name} could not be read`);
  if (keepsOpen({ open, then, shares: exit.shares })) return;
  throw failure("request_pending", `${name} would replace the account's open request: it must end first`);
}

/**
 * Returns true if the user has no open requests, or if a request adds to them rather than replaces them: their shares
 * rise by its shares or, where the vault takes a fee in shares, by up to 3% less, but to more than its shares alone.
 */
export function keepsOpen({ open, then, shares }: Record<"open" | "then" | "shares", bigint>): boolean {
  const missing = open + shares - then;
  if (open === 0n || missing <= 0n) return true;
  return then > shares && missing * PARTS_PER_BILLION <= shares * MAX_EXIT_FEE;
}

/** Returns the number that a view answered, or null if it answered none. */
const wordOf = (answer: Hex | null | undefined): bigint | null =>
  typeof answer === "string" && size(answer) === 32 ? hexToBigInt(answer) : null;
