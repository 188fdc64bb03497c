import type { Context } from "../context.ts";
import { AppError, type ErrorCode, failure } from "../errors.ts";
import { sameAddress } from "../lib/address.ts";
import { fractionToParts, PARTS_PER_BILLION } from "../lib/amount.ts";
import { decodeRouterError, failedTokenOf } from "../router/router-codec.ts";
import type { ExitMode } from "../vaults/vault-exits.ts";
import { enforcesMinimum } from "./exit-calldata.ts";
import type { ExitFacts, ExitWay } from "./exit-preflight.ts";
import { FailedExit, type PreparedExit, prepareExit } from "./prepare-exit.ts";
import type { WithdrawalOrder } from "./withdrawal-order.ts";
import { mostTelling } from "./withdrawal-refusals.ts";

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
 * Prepares a withdrawal in one mode, through the Router rather than by the user's own call if both work, because the
 * Router enforces a minimum. If the Router fails for a reason that need not be the executor's, the user's own call must
 * be seen to pay what is due (`isPaid`), else the Router's error is thrown. Throws the error of the last path tried,
 * `mode_unsupported` if there is none.
 */
export async function prepareMode(
  ctx: Context,
  of: { order: WithdrawalOrder; facts: ExitFacts; mode: ExitMode },
): Promise<PreparedExit> {
  const { order, facts, mode } = of;
  const ways = facts.ways.filter((way) => way.mode === mode);
  let doubtful: unknown = null;
  let last: unknown = failure(
    "mode_unsupported",
    `${order.vault.name} does not pay withdrawals in this mode`,
  );
  for (const way of ways) {
    try {
      const prepared = await prepareExit(ctx, { order, facts, way });
      if (doubtful === null || isPaid(prepared)) return prepared;
      last = doubtful;
      break;
    } catch (error) {
      last = error instanceof FailedExit ? error.explained : error;
      const next = nextAfter(error, order);
      if (next === "none") break;
      if (way.via === "router" && last instanceof AppError) executorErrors.add(last);
      if (next === "if_paid" && way.via === "router") doubtful = last;
    }
  }
  throw last;
}

/** Errors of the Router's path after which the owner's own call may work. */
const executorErrors = new WeakSet<AppError>();

/** Returns true for an error of `prepareMode` that may concern the Router's executor alone, not the owner. */
export const isOfExecutor = (error: unknown): boolean =>
  error instanceof AppError && executorErrors.has(error);

/**
 * Returns whether another path may work after this one failed: `any` if the vault or its share token may reject the
 * Router's executor but not the owner of the shares, `if_paid` if the reason may be any, so that a vault could drop the
 * Router's minimum by it, `none` if no path is better.
 */
function nextAfter(error: unknown, { vault }: WithdrawalOrder): "any" | "if_paid" | "none" {
  const explained = error instanceof FailedExit ? error.explained : error;
  if (explained instanceof AppError && FOR_ACCOUNT.has(explained.code)) return "any";
  if (!(error instanceof FailedExit)) return "none";
  switch (decodeRouterError(error.revert)?.name) {
    // A call without the Router would pay as little.
    case "OutputBelowMinimum":
    case "StepUnderfunded":
      return "none";
    // Shares of which a transfer brings less.
    case "InputBelowMinimum":
      return "any";
    case "TokenFailed":
      return sameAddress(failedTokenOf(error.revert) ?? "", vault.shareToken) ? "any" : "if_paid";
    default:
      return "if_paid";
  }
}

/** Error codes by which a vault rejects an account, such as the Router's executor. */
const FOR_ACCOUNT: ReadonlySet<ErrorCode> = new Set(["not_allowed", "share_locked"]);

/**
 * Returns true if a redemption surely pays what is due, by its preview or the value of its shares: a contract enforces
 * it, or its simulation shows the payment, which is then checked already.
 */
function isPaid({ exit, minAssets, simulated }: PreparedExit): boolean {
  const { previewAssets, grossAssets } = exit.way.terms;
  const isDueKnown = previewAssets !== null || grossAssets !== null;
  return minAssets !== null || (isDueKnown && simulated.received !== null);
}

/**
 * Calls `prepare` for the modes in the given order and returns its first result. If all are refused, throws the error
 * that `mostTelling` chooses; `mode_unsupported` for no modes. An error that is no refusal (`isRefusal`), and one of
 * `asOnwardError`, is thrown immediately.
 */
export async function firstPossible<T>(
  modes: readonly ExitMode[],
  prepare: (mode: ExitMode) => Promise<T>,
): Promise<T> {
  const refused: { refusal: AppError }[] = [];
  for (const mode of modes) {
    try {
      return await prepare(mode);
    } catch (error) {
      if (!isRefusal(error) || onwardErrors.has(error)) throw error;
      refused.push({ refusal: error });
    }
  }
  throw mostTelling(refused)?.refusal ?? noMode();
}

const noMode = (): AppError =>
  failure("mode_unsupported", "the vault does not support any of the requested modes");

/**
 * Prepares all modes, given in the order in which a build tries them, in parallel and returns the possible ones first,
 * then the refused ones. If none is possible, throws the error that `mostTelling` chooses; `mode_unsupported` for no
 * modes. An AppError that is not a refusal (`isRefusal`) is thrown unless a mode that a build tries before is possible;
 * other errors always are.
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
        if (!(error instanceof AppError)) throw error;
        return { mode, prepared: null, refusal: error };
      }
    }),
  );
  const chosen = options.find(({ prepared, refusal }) => prepared !== null || !isRefusal(refusal));
  if (chosen !== undefined && chosen.prepared === null) throw chosen.refusal;
  const possible = options.filter(({ prepared }) => prepared !== null);
  const refused = options.filter(({ prepared }) => prepared === null);
  if (possible.length === 0) throw mostTelling(refused)?.refusal ?? noMode();
  return [...possible, ...refused];
}

/** Errors of the way that a vault's payment takes to the user: the payment of another mode needs the same way. */
const onwardErrors = new WeakSet<AppError>();

/** Returns an error. If it is an AppError, no other mode is tried in place of the one that it rules out. */
export function asOnwardError(error: unknown): unknown {
  if (error instanceof AppError) onwardErrors.add(error);
  return error;
}

/** Returns true for an AppError of `asOnwardError`. */
export const isOnwardError = (error: AppError): boolean => onwardErrors.has(error);

/**
 * Returns true for an error that rules out a mode: an AppError of any code except `simulation_unavailable`,
 * `store_unavailable`, `upstream_unavailable`, `upstream_timeout` and `rate_limited`.
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

/**
 * Returns the state of a withdrawal with the owner's own calls first that pay more than the Router's: a vault may exempt
 * the owner, but not the executor, from a fee or a minimum. Only calls that enforce a minimum payment themselves count,
 * and none instead of an order that unwraps the payment.
 */
export function preferOwnCalls(order: WithdrawalOrder, facts: ExitFacts): ExitFacts {
  const { shares, ways } = facts;
  const paid = ({ terms }: ExitWay): bigint =>
    shares < (terms.minShares ?? 0n) ? 0n : (terms.previewAssets ?? 0n);
  const isBetter = (way: ExitWay): boolean => {
    const isRouted = ({ mode, via, token, pays }: ExitWay): boolean =>
      via === "router" && mode === way.mode && pays === way.pays && token.address === way.token.address;
    const routed = ways.find(isRouted);
    if (routed === undefined || paid(way) <= paid(routed)) return false;
    return enforcesMinimum({ order, way, shares, minAssets: 1n, warnings: [], deadline: 0n });
  };
  const better = ways.filter(isBetter);
  return { ...facts, ways: [...better, ...ways.filter((way) => !better.includes(way))] };
}

/**
 * Returns true if the exit fee, less one unit that may be rounding, is at most the slippage, as a fraction of the
 * shares' value, or unknown.
 */
export function isCheap({ terms }: ExitWay, slippage: number): boolean {
  const { previewAssets, grossAssets } = terms;
  if (previewAssets === null || grossAssets === null) return true;
  const kept = PARTS_PER_BILLION - fractionToParts(slippage);
  return (previewAssets + 1n) * PARTS_PER_BILLION >= grossAssets * kept;
}
