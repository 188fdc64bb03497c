import type { Hex } from "viem";
import type { SimulationResult } from "../chains/simulator/simulation.ts";
import { type AppError, type ErrorCode, failure } from "../errors.ts";
import { sameAddress } from "../lib/address.ts";
import { fractionToParts, mulDivDown, PARTS_PER_BILLION, smaller } from "../lib/amount.ts";
import { formatUnixTime } from "../lib/unix-time.ts";
import { exactFloor } from "../orders/order-floors.ts";
import { allowedLoss } from "../orders/order-slippage.ts";
import { decodeRouterError, failedTokenOf, foreignReason } from "../router/router-codec.ts";
import { explainExitRevert } from "../vaults/families/vault-families.ts";
import type { ExitRefusal, ExitRequestSeen } from "../vaults/vault-exits.ts";
import { explainCommonRevert } from "../vaults/vault-reverts.ts";
import type { Exit } from "./exit-calldata.ts";
import type { ExitFacts, ExitWay } from "./exit-preflight.ts";
import type { WithdrawalOrder } from "./withdrawal-order.ts";

/** Error messages for the reasons why a vault rejects a withdrawal. They follow the vault's name. */
const REFUSAL_TEXTS: Readonly<Record<ExitRefusal, string>> = {
  not_allowed: "does not allow this account to withdraw",
  share_locked: "still locks the account's shares",
  exits_paused: "does not pay withdrawals now",
  no_liquidity: "does not have this much liquidity now",
  cooldown: "pays after a cooldown that is not over",
  request_pending: "still has an open request of this account",
  price_stale: "has no current price",
  token_unsupported: "does not pay in this token",
  mode_unsupported: "does not pay withdrawals in this mode now",
};

/**
 * A redemption that the vault may refuse. `shares` is in the share token's smallest unit; `slippage`, `pays`
 * and `token` are absent if unknown.
 */
export interface RequestedExit {
  order: Pick<WithdrawalOrder, "vault"> & Partial<Pick<WithdrawalOrder, "slippage">>;
  way: Pick<ExitWay, "terms" | "mode"> & Partial<Pick<ExitWay, "pays" | "token">>;
  shares: bigint;
}

/**
 * Creates the error for a vault that refuses a withdrawal, with the code `refusal`. If known, it states the amount that
 * the vault can pay (`no_liquidity`) or the time from which it pays (`cooldown`, `share_locked`).
 */
export function toExitRefusal({ order, way, shares }: RequestedExit, refusal: ExitRefusal): AppError {
  const { terms } = way;
  const text = `${order.vault.name} ${REFUSAL_TEXTS[refusal]}`;
  const unlocked = formatUnixTime(terms.lockedUntil);
  switch (refusal) {
    case "no_liquidity":
      return failure(refusal, `${text}${beyondHeld({ way, shares })}`, {
        available: availableOf({ way, shares })?.toString() ?? null,
      });
    case "cooldown":
      return failure(refusal, text, { until: unlocked ?? formatUnixTime(terms.earliest) });
    case "price_stale":
      return failure(refusal, text, { subject: "vault" });
    case "share_locked":
      return failure(refusal, unlocked === null ? text : `${text}, until ${unlocked}`);
    default:
      return failure(refusal, text);
  }
}

/**
 * Returns the refusal that tells the user most: the first whose code is not `mode_unsupported`, otherwise the first of
 * all. A vault that lacks one mode for now may refuse another for a reason that the user can act on.
 */
export const mostTelling = <T extends { refusal: AppError | null }>(refused: readonly T[]): T | undefined =>
  refused.find(({ refusal }) => refusal?.code !== "mode_unsupported") ?? refused[0];

/** Returns the end of a message about shares of which the account holds fewer than requested, otherwise nothing. */
function beyondHeld({ way, shares }: Pick<RequestedExit, "way" | "shares">): string {
  const { heldShares } = way.terms;
  if (heldShares === null || heldShares >= shares) return "";
  return `; the account holds ${heldShares} of the ${shares} shares: ask for no more than it holds`;
}

/**
 * Returns the amount that the vault can pay instantly, in the paid token's smallest unit, rounded down. Null if
 * unknown, also if the vault reports enough for all the shares and no lower limit, but has refused them.
 */
function availableOf({ way, shares }: Pick<RequestedExit, "way" | "shares">): bigint | null {
  const { availableAssets, maxShares, grossAssets, previewAssets } = way.terms;
  const worth = previewAssets ?? grossAssets;
  const payable = payableShares({ way, shares });
  if (payable > 0n && payable < shares && worth !== null)
    return smaller(mulDivDown(payable, worth, shares), availableAssets);
  if (availableAssets !== null && worth !== null && availableAssets >= worth) return null;
  return maxShares === 0n ? (availableAssets ?? 0n) : availableAssets;
}

/**
 * Texts of the errors by which a contract says that an account holds too little: those of OpenZeppelin's ERC-20, and
 * the underflow of Morpho's markets (see `morphoV2`).
 */
const TOO_LITTLE_HELD = /^0xe450d38c$|transfer amount exceeds balance|: underflow$/;

/** Returns true if the text of a revert says that some account holds too little of a token or position. Pure. */
export const saysTooLittleHeld = (text: string | null): boolean => TOO_LITTLE_HELD.test(text ?? "");

/**
 * Returns true if an instant redemption of shares that the owner holds reverted because some account holds too little
 * of a token or position, or without a reason while the payer does: the vault then lacks the assets.
 */
function lacksAssets({ way, shares }: RequestedExit, text: string | null): boolean {
  const { heldShares, payerAssets = null, previewAssets } = way.terms;
  const held = heldShares !== null && heldShares >= shares;
  // Some tokens revert without a reason.
  const isShort = !text && payerAssets !== null && previewAssets !== null && payerAssets < previewAssets;
  return way.mode === "instant" && held && (isShort || saysTooLittleHeld(text));
}

/** Names of the errors by which a vault only says that a redemption exceeds what `maxRedeem` returns. */
const EXCEEDS_LIMIT = /max/i;

/**
 * Returns the error for a redemption that exceeds what the vault's views allow: `exits_paused` if the vault is closed,
 * otherwise `no_liquidity`.
 */
export function limitRefusal(asked: RequestedExit): AppError {
  return toExitRefusal(asked, asked.way.terms.closed ? "exits_paused" : "no_liquidity");
}

const isKnownRefusal = (code: string): code is ExitRefusal => code in REFUSAL_TEXTS;

/**
 * Returns how many of the shares can be redeemed now by the vault's limit `maxShares`, in the share token's smallest
 * unit; all of them if it is unknown, or if the views show assets for all of them and it is low by rounding alone.
 */
export function payableShares({ way, shares }: Pick<RequestedExit, "way" | "shares">): bigint {
  const { maxShares, availableAssets, previewAssets } = way.terms;
  if (maxShares === null || maxShares >= shares) return shares;
  // Zero is never a matter of rounding.
  if (maxShares === 0n || availableAssets === null || previewAssets === null) return maxShares;
  const missing = mulDivDown(shares - maxShares, previewAssets, shares);
  return availableAssets >= previewAssets && missing <= ROUNDED_UNITS ? shares : maxShares;
}

/**
 * Returns how many of the shares the vault's views let it redeem now, by its limit and by the assets that it can pay, in
 * the share token's smallest unit: at most what these assets buy, and less by the shares of two units of assets at most.
 */
export function coveredShares({ way, shares }: Pick<RequestedExit, "way" | "shares">): bigint {
  const { availableAssets, previewAssets, grossAssets } = way.terms;
  const payable = payableShares({ way, shares });
  const worth = previewAssets ?? grossAssets;
  if (availableAssets === null || worth === null || availableAssets >= worth) return payable;
  // The value was rounded down.
  return smaller(payable, mulDivDown(availableAssets, shares, worth + 1n)) ?? payable;
}

/** Most units of the paid token that a limit in shares loses by conversion from one in assets. */
const ROUNDED_UNITS = 1n;

/**
 * Returns true if the vault's views report too little liquidity to pay these shares instantly, or a lower limit; false
 * in the modes `request` and `cooldown`, or if unknown. Only a hint, because some views are imprecise.
 */
export function lacksLiquidity({ way, shares }: RequestedExit): boolean {
  const { availableAssets, previewAssets } = way.terms;
  if (way.mode !== "instant") return false;
  if (payableShares({ way, shares }) < shares) return true;
  return availableAssets !== null && previewAssets !== null && availableAssets < previewAssets;
}

/**
 * Returns the error for a redemption that the vault's state already rules out before a simulation, or null. Never
 * throws.
 */
export function findExitRefusal(asked: RequestedExit & { facts: Pick<ExitFacts, "block"> }): AppError | null {
  const { order, way, shares } = asked;
  const { terms } = way;
  const { name } = order.vault;
  if (terms.paused) return toExitRefusal(asked, "exits_paused");
  if (terms.refusal !== null) return toExitRefusal(asked, terms.refusal);
  if (!namesPaid(asked))
    return failure("upstream_rejected", `${name} reports different contracts on chain than in the registry`);
  if (terms.lockedUntil !== null && terms.lockedUntil > asked.facts.block.timestamp)
    return toExitRefusal(asked, "share_locked");
  if (terms.minShares !== null && shares < terms.minShares) return belowMinimum(asked);
  if (terms.previewRevert !== null) {
    const { code } = explainExitRevert(order.vault, terms.previewRevert);
    if (code !== null) return toExitError(asked, { code, text: null });
  }
  // Without a preview, shares whose value is zero are paid nothing at once either.
  const worth = terms.previewAssets ?? (way.mode === "instant" ? terms.grossAssets : null);
  if (worth === 0n)
    return failure("below_minimum", `${name} would pay nothing for these shares`, { min_deposit: null });
  return null;
}

/** Returns true if the vault's asset on chain is the token that the registry says it pays, or its asset there. */
function namesPaid({ order, way }: RequestedExit): boolean {
  const { token, terms } = way;
  if (terms.asset === null || token === undefined) return terms.asset !== null;
  return [token, order.vault.asset].some(({ address }) => sameAddress(address, terms.asset ?? ""));
}

/** Returns the error for too few shares. Its text names the vault's minimum if that is known and not reached. */
function belowMinimum({ order, way, shares }: RequestedExit): AppError {
  const { minShares } = way.terms;
  const least = minShares !== null && minShares > shares ? minShares : null;
  const text = least === null ? "only larger amounts" : `at least ${least} smallest units of its shares`;
  return failure("below_minimum", `${order.vault.name} redeems ${text}`, { min_deposit: null });
}

/**
 * Returns the error for a vault's revert: that of its error code if known, otherwise one that the views explain,
 * otherwise `would_revert`.
 */
function toExitError(
  asked: RequestedExit,
  revert: { code: ErrorCode | null; text: string | null },
): AppError {
  const { name } = asked.order.vault;
  const { code, text } = revert;
  // sUSDe reverts so for a mode that is off, which its views show before, and for restricted accounts.
  if (asked.way.mode === "cooldown" && text === "OperationNotAllowed")
    return toExitRefusal(asked, "not_allowed");
  // The vault skips a market that is paused.
  if (code === "no_liquidity" && asked.way.terms.halted === true) return toExitRefusal(asked, "exits_paused");
  if (code === "no_liquidity" && EXCEEDS_LIMIT.test(text ?? "")) return limitRefusal(asked);
  if (code !== null && isKnownRefusal(code)) return toExitRefusal(asked, code);
  if (code === "nothing_to_withdraw") return failure(code, `${name} would pay nothing for these shares`);
  if (code === "below_minimum") return belowMinimum(asked);
  if (code === "price_unsafe")
    return failure(code, `${name} would take a loss above the slippage from these shares${lossHint(asked)}`, {
      subject: "vault",
    });
  if (lacksLiquidity(asked)) return limitRefusal(asked);
  if (lacksAssets(asked, text)) return toExitRefusal(asked, "no_liquidity");
  return failure("would_revert", `a withdrawal from ${name} would revert`, { revert: text });
}

/**
 * Returns the error for a redemption whose simulation reverted with `revert`, data of the Router or the vault:
 * `price_unsafe` for too low an output, `would_revert` if the paid token cannot be transferred or nothing explains it.
 */
export function explainFailedExit(asked: RequestedExit, revert: Hex): AppError {
  const routers = decodeRouterError(revert);
  if (routers?.name === "OutputBelowMinimum" || routers?.name === "StepUnderfunded") return paysLess(asked);
  const reason = routers === null ? revert : foreignReason(revert);
  const token = failedTokenOf(revert);
  if (token !== null && !sameAddress(token, asked.order.vault.shareToken)) {
    const { text } = explainCommonRevert(reason ?? "0x");
    return failure("would_revert", "the token that the vault pays cannot be transferred", { revert: text });
  }
  const explained =
    reason === null
      ? { code: null, text: routers?.name ?? "" }
      : explainExitRevert(asked.order.vault, reason);
  return toExitError(asked, explained);
}

/** Creates the `price_unsafe` error for a vault that pays less than its preview. */
export function paysLess(asked: RequestedExit): AppError {
  const { name } = asked.order.vault;
  return failure("price_unsafe", `${name} pays less than its preview promises${lossHint(asked)}`, {
    subject: "vault",
  });
}

/** Returns the end of a message about a loss: how a request may accept it (see `promisedLoss`), otherwise nothing. */
function lossHint({ order, way }: RequestedExit): string {
  if (way.pays === false)
    return "; a swap or bridge leaves at most 0.5% for it: withdraw what the vault pays first";
  const isLow = fractionToParts(order.slippage ?? 0) < MAX_EXIT_FEE;
  return isLow ? "; a slippage of up to 0.03 may help" : "";
}

/**
 * Returns true if a simulation whose first read is the user's share balance could not read it, although it returned
 * logs or another read. A plain call reads nothing; with any other method, a share token that does not answer
 * may hide what is taken.
 */
export function hidesShares(simulation: SimulationResult): boolean {
  const { before, after, calls } = simulation;
  const reads = before.length > 0 && before[0] !== null && after[0] !== null;
  if (reads) return false;
  return [...before, ...after].some((answer) => answer !== null) || (calls.at(-1)?.logs ?? null) !== null;
}

/** Creates the error `simulation_unavailable` for a share token that hides what a call takes. */
export const sharesHidden = ({ vault }: RequestedExit["order"]): AppError =>
  failure("simulation_unavailable", `the account's shares of ${vault.name} could not be read`);

/**
 * Exit fee up to which a withdrawal is accepted even if the slippage is lower, in parts per billion (3%). The response
 * shows the fee separately.
 */
export const MAX_EXIT_FEE = (PARTS_PER_BILLION * 3n) / 100n;

/**
 * Returns the maximum loss against the vault's preview, in parts per billion: the slippage, at most 3%, or at most 0.5%
 * if a swap or bridge follows, which uses the rest.
 */
export function promisedLoss({ order, way }: Pick<Exit, "order" | "way">): bigint {
  if (!way.pays) return allowedLoss(order.slippage, false);
  const asked = fractionToParts(order.slippage);
  return asked < MAX_EXIT_FEE ? asked : MAX_EXIT_FEE;
}

/**
 * Returns `price_unsafe` if the vault keeps more of the shares' value than both 3% and the slippage, plus one unit for
 * rounding: by its preview, or by what a simulation `paid`, if that is less. Null otherwise, if unknown, and for a
 * request that the vault prices later.
 */
export function findExcessiveFee(
  { order, way }: Pick<Exit, "order" | "way">,
  paid: bigint | null = null,
): AppError | null {
  const { previewAssets, grossAssets: gross, priced, paidNow } = way.terms;
  const later = way.mode !== "instant" && priced === "later";
  const net = paidNow === null ? smaller(previewAssets, paid) : previewAssets;
  if (later || net === null || gross === null || isFeeAccepted(order, { gross, net })) return null;
  const kept = Number(((gross - net) * 10_000n + gross - 1n) / gross) / 100;
  const text = `${order.vault.name} keeps ${kept}% of what the shares are worth`;
  return failure("price_unsafe", text, { subject: "vault" });
}

/** Returns true if a vault keeps at most 3%, or the slippage if that is higher, and one unit, which rounding costs. */
function isFeeAccepted(
  { slippage }: Pick<WithdrawalOrder, "slippage">,
  { gross, net }: Record<"gross" | "net", bigint>,
): boolean {
  return (net + 1n) * PARTS_PER_BILLION >= gross * (PARTS_PER_BILLION - largestFee({ slippage }));
}

/** Returns the largest exit fee that is accepted, in parts per billion: 3%, or the slippage if that is higher. */
export function largestFee({ slippage }: Pick<WithdrawalOrder, "slippage">): bigint {
  const asked = fractionToParts(slippage);
  return asked > MAX_EXIT_FEE ? asked : MAX_EXIT_FEE;
}

/**
 * Throws `price_unsafe` if the vault records far fewer shares for a request than the user gives: by more than 3% (or
 * the slippage, if higher) and one unit; also if it fixes the payment in the request, and records less than its preview
 * by more than the slippage (at most 3%).
 */
export function requireRecorded(exit: Exit, recorded: ExitRequestSeen): void {
  const { order, way, shares } = exit;
  const { name } = order.vault;
  const subject = { subject: "vault" } as const;
  if (!isFeeAccepted(order, { gross: shares, net: recorded.shares ?? shares }))
    throw failure("price_unsafe", `${name} records much fewer shares than the request takes`, subject);
  const { previewAssets, priced } = way.terms;
  if (priced === "later" || previewAssets === null || recorded.assets === undefined) return;
  if (recorded.assets >= exactFloor(previewAssets, promisedLoss(exit)).minOut) return;
  throw failure("price_unsafe", `${name} records less for the request than its preview promises`, subject);
}
