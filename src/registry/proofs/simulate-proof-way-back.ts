import type { Hex } from "viem";
import { runSimulation } from "../../chains/simulator/run-simulation.ts";
import type { SimulationResult } from "../../chains/simulator/simulation.ts";
import type { Context } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { mulDivDown } from "../../lib/amount.ts";
import { increaseOf, paymentOverrides } from "../../orders/simulate-order-payment.ts";
import { adapterOf, explainExitRevert } from "../../vaults/families/vault-families.ts";
import { unknownPendingExit } from "../../vaults/vault-exits.ts";
import { settlementOf } from "../../vaults/vault-settlement.ts";
import type { Closure } from "./decide-vault-proof.ts";
import {
  entryOf,
  exitCalls,
  inTime,
  type ProofDeposit,
  type Redemption,
  userCall,
} from "./proof-exit-calls.ts";
import { GENERIC_ADAPTER, isJudgedDeposit, judgedModes, type ProofExit } from "./proof-exit-ways.ts";
import { isWorth, MAX_MONTHLY_LOSS } from "./proof-worth.ts";
import { enlarged, LONGEST_LOCK_S, redeemCovered, simulateAged } from "./simulate-proof-aged-exits.ts";
import { nullIfUnavailable, paidFor, simulateExit, simulateLater } from "./simulate-proof-exit.ts";
import { findTrappedAccount } from "./simulate-proof-exit-crowd.ts";
import { findUnpaidExit } from "./simulate-proof-unpaid-exit.ts";

/** Part of the minted shares that is redeemed, because a later block mints slightly fewer shares. */
const REDEEMED_PARTS = { of: 1_000n, parts: 999n } as const;
/** Time after which other accounts redeem if the proof's shares cannot be redeemed 30 days later, in seconds. */
const SOON_S = 12;
const HOUR_S = 3_600;
/** Times after a deposit at which a redemption that reverts at once is simulated again, in seconds. */
const LATER_S = [HOUR_S, 24 * HOUR_S, LONGEST_LOCK_S] as const;

/** How many times the proof's shares are redeemed to see whether a vault only refuses small redemptions. */
const MANY_TIMES = 1_000n;

/**
 * How the shares of a simulated deposit can be redeemed; amounts are in the asset's smallest unit, of all shares.
 * - `returned`: at once. `later` is what they pay after 30 days, or their part of what a larger deposit then pays if
 *   that is less or alone is known; null if unknown. `larger` is that part if it is much too little, otherwise null.
 * - `waiting`: by request, after a cooldown or a lock; or no simulation can show it.
 * - `none`: not at all, not by every account, only at a loss, or for fewer shares when the deposit is repeated. `exit`
 *   is as in `ProofFinding`, or null if nothing excuses it.
 */
export type WayBack =
  | { kind: "returned"; returned: bigint; later: bigint | null; larger: bigint | null }
  | { kind: "waiting" }
  | { kind: "none"; reason: string; exit: Closure | null };

const WAITING = { kind: "waiting" } as const;
const FEWER_AGAIN = "the same deposit mints fewer shares when it is simulated again";

/**
 * Finds out how the shares of a simulated deposit can be redeemed: at once, 30 days later and by other accounts or, if
 * every way reverts, after a lock. `waiting` where the simulations do not decide, and for deposits that are not judged
 * (`isJudgedDeposit`), if the first way that does not revert pays or records a request. Throws `simulation_unavailable`
 * and errors of the RPC nodes.
 */
export async function simulateWayBack(ctx: Context, of: ProofDeposit): Promise<WayBack> {
  const { vault } = of.deposit;
  // A vault of a family is recognised by views, which any contract can have: one of its ways out must be open.
  const { ways } = of;
  const redeemed = mulDivDown(of.shares, REDEEMED_PARTS.parts, REDEEMED_PARTS.of);
  const isJudged = isJudgedDeposit(of.deposit);
  if (ways.length === 0 || redeemed === 0n) return WAITING;
  let revert: Hex = "0x";
  for (const way of ways) {
    const made = await simulateExit(ctx, { ...of, ...way, redeemed });
    if (made === null) return WAITING;
    if (made.failedAt === null) return judgeMode(ctx, { ...of, ...way, redeemed, made });
    const minted = increaseOf(made, 2);
    if (isJudged && minted !== null && minted < redeemed)
      return { kind: "none", exit: null, reason: FEWER_AGAIN };
    const whole = isJudged ? await returnedWhole(ctx, { of, way, minted }) : null;
    if (whole !== null) return whole;
    // The error of the preferred mode explains best why shares cannot be redeemed, unless the vault lacks that mode.
    if (revert === "0x" || explainExitRevert(vault, revert).code === "mode_unsupported")
      revert = made.calls.at(-1)?.returnData ?? "0x";
  }
  const refused = { ...of, redeemed };
  const locked = await isLocked(ctx, refused);
  return locked === true ? WAITING : explainStanding(ctx, { ...refused, stands: locked === false }, revert);
}

type MadeExit = Redemption & { made: SimulationResult };

/**
 * Judges an exit that succeeded at once: by what it paid or recorded or, if the deposit's redemption is judged, by what
 * it paid and pays later, or by the claim after its cooldown.
 */
async function judgeMode(ctx: Context, of: MadeExit): Promise<WayBack> {
  if (!isJudgedDeposit(of.deposit) || of.mode === "request") return waitingUnlessUnpaid(ctx, of);
  return of.mode === "instant" ? returnedBy(ctx, of) : afterCooldown(ctx, of);
}

async function waitingUnlessUnpaid(ctx: Context, of: MadeExit): Promise<WayBack> {
  const reason = await findUnpaidExit(ctx, of);
  return reason === null ? WAITING : { kind: "none", exit: null, reason };
}

/** As `judgeMode` for the redemption of all minted shares, or null if they cannot be redeemed at once either. */
async function returnedWhole(
  ctx: Context,
  { of, way, minted }: { of: ProofDeposit; way: ProofExit; minted: bigint | null },
): Promise<WayBack | null> {
  if (minted === null) return null;
  const redemption = { ...of, ...way, shares: minted, redeemed: minted };
  const made = await simulateExit(ctx, redemption);
  return made?.failedAt === null ? judgeMode(ctx, { ...redemption, made }) : null;
}

/**
 * Simulates the claim after a cooldown whose length the vault states. `none` if it reverts or pays too little;
 * otherwise `waiting`.
 */
async function afterCooldown(ctx: Context, of: Redemption): Promise<WayBack> {
  const { vault, user } = of.deposit;
  const { withdraw_seconds: seconds } = settlementOf(vault);
  if (of.mode !== "cooldown" || seconds === null) return WAITING;
  const token = vault.asset.address;
  const request = { ...unknownPendingExit, mode: of.mode, state: "claimable", token } as const;
  const claim = adapterOf(vault).exits?.claim?.(vault, { user, request }) ?? null;
  if (claim === null) return WAITING;
  const { entry, common } = entryOf(ctx, of);
  const exit = exitCalls(of);
  const made = await nullIfUnavailable(
    runSimulation(of.payment.client, {
      ...{ ...common, overrides: await paymentOverrides(ctx, of.payment) },
      calls: [...entry, ...exit],
      later: [{ calls: [userCall(claim)], time: common.time + seconds + 1 }],
    }),
  );
  if (made === null) return WAITING;
  const { amount } = of.deposit;
  if (made.failedAt === null) {
    const returned = paidFor(of, made);
    if (returned === null || isWorth(of.deposit, { amount, returned })) return WAITING;
    return {
      kind: "none",
      exit: null,
      reason: "after the cooldown, the shares pay much less than the deposit",
    };
  }
  if (made.failedAt < entry.length + exit.length) return WAITING;
  const { text } = explainExitRevert(vault, made.calls.at(-1)?.returnData ?? "0x");
  const reason = `the assets cannot be claimed after the cooldown${text === null ? "" : `: ${text}`}`;
  return { kind: "none", exit: null, reason };
}

type Refused = ProofDeposit & { redeemed: bigint };

const isByRequest = ({ ways }: ProofDeposit): boolean => ways.every(({ mode }) => mode === "request");

/**
 * Returns what a successful redemption paid, and what it would pay 30 days later, or `none` with what counts against
 * the vault. `waiting` if the payment is unknown, or if the vault recorded a request instead.
 */
async function returnedBy(ctx: Context, { made, ...of }: MadeExit): Promise<WayBack> {
  const { vault } = of.deposit;
  const returned = paidFor(of, made);
  if (returned === null) return WAITING;
  // A vault that may let holders wait did so, unless it recorded nothing.
  if (returned === 0n && (adapterOf(vault).exits?.modes(vault).length ?? 0) > 1)
    return waitingUnlessUnpaid(ctx, { ...of, made });
  const { own, large } = await simulateAged(ctx, of);
  const paid = own === null ? null : await paidLater(ctx, { redemption: of, own });
  if (paid !== null && typeof paid === "object") return paid;
  const after = own?.failedAt === null ? LONGEST_LOCK_S : SOON_S;
  const reason =
    (paid === null ? null : describeLoss(of, { returned, paid })) ??
    (await findTrappedInstant(ctx, { ...of, after }));
  if (reason !== null) return { kind: "none", exit: null, reason };
  // A redemption of one size that pays says nothing about those of another.
  const later = large.isFair ? leastOf(paid, large.part) : paid;
  return { kind: "returned", returned, later, larger: large.isFair ? null : large.part };
}

/**
 * Returns a sentence about a loss in 30 days that the slippage of a proof would excuse, but that is more than the
 * largest yearly fee takes; otherwise null.
 */
function describeLoss(
  { deposit }: ProofDeposit,
  { returned, paid }: { returned: bigint; paid: bigint },
): string | null {
  const excused = isWorth(deposit, { amount: deposit.amount, returned: paid });
  if (!excused || isWorth(deposit, { amount: returned, returned: paid, loss: MAX_MONTHLY_LOSS })) return null;
  const percent = Number(((returned - paid) * 1_000n) / returned) / 10;
  return `shares lose ${percent}% of their value in 30 days`;
}

/** As `findTrappedAccount`; null without a simulation if holders may have to wait. */
async function findTrappedInstant(ctx: Context, of: Redemption & { after: number }): Promise<string | null> {
  const isInstant = judgedModes(of.deposit.vault).join() === "instant";
  return isInstant ? findTrappedAccount(ctx, of) : null;
}

const leastOf = (a: bigint | null, b: bigint | null): bigint | null =>
  a === null || (b !== null && b < a) ? b : a;

/**
 * Returns what the proof's shares pay 30 days later, `none` if they cannot be redeemed then because of their age, or
 * null if that is unknown or holders may have to wait.
 */
async function paidLater(
  ctx: Context,
  { redemption, own }: { redemption: Redemption; own: SimulationResult },
): Promise<WayBack | bigint | null> {
  const { vault } = redemption.deposit;
  if (own.failedAt === null) return paidFor(redemption, own);
  if (judgedModes(vault).join() !== "instant") return null;
  // Shares that have grown may be worth more than the assets which a market has not lent out.
  const covered = await redeemCovered(ctx, redemption);
  if (covered !== "trapped") return covered;
  const { text } = explainExitRevert(vault, own.calls.at(-1)?.returnData ?? "0x");
  const reason = `after 30 days, shares can no longer be redeemed${text === null ? "" : `: ${text}`}`;
  return { kind: "none", exit: null, reason };
}

/**
 * Returns true if the shares can be redeemed an hour, a day or 30 days later, so that they are only locked at first.
 * Null if no node can simulate a later block, or if the deposit fails there.
 */
async function isLocked(ctx: Context, of: Refused): Promise<boolean | null> {
  for (const after of LATER_S) {
    for (const way of of.ways) {
      const made = await simulateLater(ctx, { ...of, ...way, after });
      if (made === null) return null;
      if (made.failedAt === null) return true;
    }
  }
  return false;
}

/**
 * Returns why the shares cannot be redeemed (`none`), or `waiting` if it cannot be known: see `simulateWayBack`. `stands`
 * is true if they cannot be redeemed later either, false if that is not known.
 */
async function explainStanding(
  ctx: Context,
  of: Refused & { stands: boolean },
  revert: Hex,
): Promise<WayBack> {
  const { vault } = of.deposit;
  const { code, text } = explainExitRevert(vault, revert);
  const reverts = `a redemption reverts${text === null ? " without a reason" : `: ${text}`}`;
  const holder = await canHoldersLeave(ctx, { ...of, after: 0 });
  if (holder === true) {
    // Holders can leave now. If they can 30 days later too, it is the deposit that keeps the shares in the vault.
    const later = await canHoldersLeave(ctx, { ...of, after: LONGEST_LOCK_S });
    if (later !== true) return WAITING;
    return { kind: "none", exit: null, reason: `new shares stay locked for over 30 days; ${reverts}` };
  }
  const isGeneric = vault.adapter === GENERIC_ADAPTER;
  const isUnsure = !isGeneric && (holder === null || judgedModes(vault).length === 0);
  if (isUnsure && !of.stands) return WAITING;
  // A vault may refuse to redeem less than a minimum that the proof's amount does not reach.
  const many = { ...of, redeemed: of.redeemed * MANY_TIMES, after: 0 };
  if (holder === false && (await canHoldersLeave(ctx, many)) === true) return WAITING;
  if (isUnsure && (await canMoreLeave(ctx, of)) !== false) return WAITING;
  const illiquid = code === "no_liquidity" && !isGeneric;
  const says = code === "no_liquidity" || code === "exits_paused" || code === "price_stale";
  const onRequest = isByRequest(of);
  const exit = illiquid ? "illiquid" : says || onRequest ? "stopped" : null;
  const what = onRequest ? reverts.replace("redemption", "redemption request") : reverts;
  // A vault may pay by functions of its own, and have no redemption of the standard's.
  const way = isGeneric ? " by the functions of ERC-4626" : "";
  return { kind: "none", exit, reason: onRequest ? what : `shares cannot be redeemed${way}; ${what}` };
}

/**
 * Returns whether the shares of a deposit of 1,000 times the amount, or of fewer times within the vault's limit, can be
 * redeemed at once. False also if the vault takes none of them, null if no node can simulate one.
 */
async function canMoreLeave(ctx: Context, of: Refused): Promise<boolean | null> {
  const sizes = new Set(of.larger.map((times) => (times < MANY_TIMES ? times : MANY_TIMES)));
  let isKnown = true;
  for (const times of sizes) {
    for (const way of of.ways) {
      const more = enlarged({ ...of, ...way }, { user: of.deposit.user, times });
      const seen = await nullIfUnavailable(simulateExit(ctx, more).then((made) => ({ made })));
      if (seen?.made?.failedAt === null) return true;
      isKnown &&= seen !== null;
    }
  }
  return isKnown ? false : null;
}

/**
 * Returns whether an account that holds shares without having deposited can redeem them, `after` seconds from now, once
 * it has deposited for another one, so that the vault holds what it pays. Null if that is not known.
 */
async function canHoldersLeave(ctx: Context, of: Refused & { after: number }): Promise<boolean | null> {
  const { deposit, payment, redeemed, ways, after } = of;
  const held = { token: deposit.vault.shareToken, amount: redeemed, balance: 0n, allowance: 0n };
  try {
    const shares = await paymentOverrides(ctx, { ...payment, ...held });
    const overrides = [...(await paymentOverrides(ctx, payment)), ...shares];
    const { entry, common } = entryOf(ctx, { ...of, forOther: true });
    for (const way of ways) {
      const exit = exitCalls({ ...of, ...way });
      const made = await runSimulation(payment.client, {
        ...{ ...common, overrides },
        ...inTime({ entry, exit, time: common.time, after: after === 0 ? undefined : after }),
      });
      if (made.failedAt === null) return true;
      if (made.failedAt < entry.length) return null;
    }
    return false;
  } catch (error) {
    if (error instanceof AppError && error.code === "simulation_unavailable") return null;
    throw error;
  }
}
