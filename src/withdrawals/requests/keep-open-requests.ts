import { type Hex, hexToBigInt, size } from "viem";
import type { SimulationResult } from "../../chains/simulator/simulation.ts";
import { failure } from "../../errors.ts";
import { mulDivDown, PARTS_PER_BILLION } from "../../lib/amount.ts";
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
 * Throws `request_pending` if a simulated request replaces the user's open ones without paying for them, and
 * `simulation_unavailable` if their shares could not be read. `first` is the index of the first of `openRequestReads`
 * among the simulation's reads; `paid` is what the user received in the simulation, in the paid token's smallest unit.
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
  if (open === 0n) return;
  const { name } = exit.order.vault;
  if (open === null || then === null)
    throw failure("simulation_unavailable", `the account's open requests with ${name} could not be read`);
  const { shares, way } = exit;
  if (keepsOpen({ open, then, shares })) return;
  const missing = open + shares - then;
  if (paysFor({ missing, paid, shares, preview: way.terms.previewAssets })) return;
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

/**
 * Returns true if a vault paid for the shares that its open requests lack, up to 3% less than the preview for as many of
 * the requested `shares`, rounded down. A payment of one unit would otherwise hide that it drops a request.
 */
export function paysFor(of: {
  missing: bigint;
  paid: bigint;
  shares: bigint;
  preview: bigint | null;
}): boolean {
  const { missing, paid, shares, preview } = of;
  if (preview === null || paid === 0n) return false;
  return paid >= mulDivDown(preview * missing, PARTS_PER_BILLION - MAX_EXIT_FEE, shares * PARTS_PER_BILLION);
}

/** Returns the number that a view answered, or null if it answered none. */
const wordOf = (answer: Hex | null | undefined): bigint | null =>
  typeof answer === "string" && size(answer) === 32 ? hexToBigInt(answer) : null;
