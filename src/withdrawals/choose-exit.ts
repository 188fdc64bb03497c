import type { Context } from "../context.ts";
import { AppError, type ErrorCode, failure } from "../errors.ts";
import { fractionToParts, PARTS_PER_BILLION } from "../lib/amount.ts";
import type { ExitMode } from "../vaults/vault-exits.ts";
import type { ExitFacts, ExitWay } from "./exit-preflight.ts";
import { FailedExit, type PreparedExit, prepareExit } from "./single-exit.ts";
import type { WithdrawalOrder } from "./withdrawal-order.ts";

/** A mode of a vault with what was prepared in it, or the reason why it is not possible now. */
export type ModeOption<T> =
  | { mode: ExitMode; prepared: T; refusal: null }
  | { mode: ExitMode; prepared: null; refusal: AppError };

/** Errors that say nothing about this mode of the vault, so that no other mode may stand in for it. */
const NOT_THE_VAULTS: ReadonlySet<ErrorCode> = new Set([
  "simulation_unavailable",
  "store_unavailable",
  "upstream_unavailable",
  "upstream_timeout",
  "rate_limited",
]);

/**
 * Prepares a mode by the first of its ways that works: through the Router, which enforces a minimum, else by the user's
 * own call. An order that the Router refuses because the vault pays too little is not repeated without it. Errors of
 * `prepareExit` propagate, those of the last way if no way works.
 */
export async function prepareMode(
  ctx: Context,
  of: { order: WithdrawalOrder; facts: ExitFacts; mode: ExitMode },
): Promise<PreparedExit> {
  const { order, facts, mode } = of;
  const ways = facts.ways.filter((way) => way.mode === mode);
  let last: unknown = failure(
    "mode_unsupported",
    `${order.vault.name} does not pay withdrawals in this mode`,
  );
  for (const way of ways) {
    try {
      return await prepareExit(ctx, { order, facts, way });
    } catch (error) {
      last = error instanceof FailedExit ? error.explained : error;
      const final = error instanceof FailedExit ? error.belowFloor : !mayCallItself(error);
      if (final) throw last;
    }
  }
  throw last;
}

/** Returns true if the vault may refuse the Router's executor and accept the owner. */
const mayCallItself = (error: unknown): boolean =>
  error instanceof AppError && (error.code === "not_allowed" || error.code === "share_locked");

/**
 * Prepares the first mode that is possible, in the order given. Throws the error of the first mode if none is possible,
 * and at once any error that is not the vault's refusal.
 */
export async function firstPossible<T>(
  modes: readonly ExitMode[],
  prepare: (mode: ExitMode) => Promise<T>,
): Promise<T> {
  let first: unknown = null;
  for (const mode of modes) {
    try {
      return await prepare(mode);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      first ??= error;
    }
  }
  throw first ?? failure("mode_unsupported", "the vault does not support any of the requested modes");
}

/**
 * Prepares all modes in parallel, the possible ones first. Throws the error of the first mode if none is possible, and
 * any error that is not the vault's refusal.
 */
export async function allPossible<T>(
  modes: readonly ExitMode[],
  prepare: (mode: ExitMode) => Promise<T>,
): Promise<ModeOption<T>[]> {
  const options = await Promise.all(
    modes.map(async (mode): Promise<ModeOption<T>> => {
      try {
        return { mode, prepared: await prepare(mode), refusal: null };
      } catch (error) {
        if (!isRefusal(error)) throw error;
        return { mode, prepared: null, refusal: error };
      }
    }),
  );
  const possible = options.filter(({ prepared }) => prepared !== null);
  const refused = options.filter(({ prepared }) => prepared === null);
  if (possible.length === 0)
    throw (
      refused[0]?.refusal ??
      failure("mode_unsupported", "the vault does not support any of the requested modes")
    );
  return [...possible, ...refused];
}

const isRefusal = (error: unknown): error is AppError =>
  error instanceof AppError && !NOT_THE_VAULTS.has(error.code);

/** Returns the modes in the order in which a build tries them. */
export function rankModes(
  { slippage }: Pick<WithdrawalOrder, "slippage">,
  ways: readonly ExitWay[],
): ExitMode[] {
  const cost = (mode: ExitMode): number => {
    const way = ways.find((one) => one.mode === mode);
    if (mode !== "instant" || way === undefined) return 1;
    return isCheap(way, slippage) ? 0 : 2;
  };
  return [...new Set(ways.map(({ mode }) => mode))].sort((a, b) => cost(a) - cost(b));
}

/** Returns true if the vault keeps no more than the slippage of what the shares are worth. */
function isCheap({ terms }: ExitWay, slippage: number): boolean {
  const { previewAssets, grossAssets } = terms;
  if (previewAssets === null || grossAssets === null) return true;
  const kept = PARTS_PER_BILLION - fractionToParts(slippage);
  return (previewAssets + 1n) * PARTS_PER_BILLION >= grossAssets * kept;
}
