import type { Context } from "../context.ts";
import { AppError, type ErrorCode, failure } from "../errors.ts";
import { fractionToParts, PARTS_PER_BILLION } from "../lib/amount.ts";
import type { ExitMode } from "../vaults/vault-exits.ts";
import type { ExitFacts, ExitWay } from "./exit-preflight.ts";
import { FailedExit, type PreparedExit, prepareExit } from "./prepare-exit.ts";
import type { WithdrawalOrder } from "./withdrawal-order.ts";

/** A withdrawal mode of a vault, with the withdrawal prepared in it, or with the error that rules it out now. */
export type ModeOption<T> =
  | { mode: ExitMode; prepared: T; refusal: null }
  | { mode: ExitMode; prepared: null; refusal: AppError };

/** Error codes that do not depend on the vault's mode, so that trying another mode is pointless. */
const NOT_THE_VAULTS: ReadonlySet<ErrorCode> = new Set([
  "simulation_unavailable",
  "store_unavailable",
  "upstream_unavailable",
  "upstream_timeout",
  "rate_limited",
]);

/**
 * Prepares a withdrawal in one mode. The Router is tried first, if the mode has a path through it, because it enforces
 * a minimum payment. If the vault rejects the Router's executor, or the simulation reverts for a reason other than a
 * payment below the minimum, the user's own call of the vault is prepared instead: without an allowance, then with one
 * if the vault may need it (`mayNeedAllowance`). If that fails too, its error is thrown; for a `FailedExit`, its
 * `explained`. Throws `mode_unsupported` if the vault has no redemption path in this mode. Other errors of
 * `prepareExit` propagate immediately.
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

/** Returns true for errors by which a vault may reject the Router's executor but not the owner of the shares. */
const mayCallItself = (error: unknown): boolean =>
  error instanceof AppError && (error.code === "not_allowed" || error.code === "share_locked");

/**
 * Calls `prepare` for the modes one after another, in the given order, and returns its first result. Throws the first
 * mode's error if the vault refuses every mode, and `mode_unsupported` if the list is empty. An error that is no
 * refusal is thrown immediately: `simulation_unavailable`, `store_unavailable`, `upstream_unavailable`,
 * `upstream_timeout`, `rate_limited`, and whatever is not an AppError.
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
 * Prepares all modes in parallel and returns the possible ones first, then the refused ones, each group in the given
 * order. Throws the first mode's error if none is possible, `mode_unsupported` if the list is empty, and any error that
 * is no refusal (`isRefusal`).
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

/**
 * Returns true for an error that rules out a mode: an AppError of any code except those of the simulation, the
 * database, the nodes and the rate limit.
 */
export const isRefusal = (error: unknown): error is AppError =>
  error instanceof AppError && !NOT_THE_VAULTS.has(error.code);

/**
 * Returns the modes of the redemption paths in the order in which a build tries them, without duplicates. `instant`
 * comes first if its exit fee is at most the slippage or unknown, otherwise last.
 */
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

/** Returns true if the exit fee is at most the slippage, as a fraction of the shares' value, or unknown. */
function isCheap({ terms }: ExitWay, slippage: number): boolean {
  const { previewAssets, grossAssets } = terms;
  if (previewAssets === null || grossAssets === null) return true;
  const kept = PARTS_PER_BILLION - fractionToParts(slippage);
  return (previewAssets + 1n) * PARTS_PER_BILLION >= grossAssets * kept;
}
