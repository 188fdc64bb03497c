import type { Address } from "viem";
import { runSimulation } from "../../chains/simulator/run-simulation.ts";
import type { SimulationResult } from "../../chains/simulator/simulation.ts";
import type { Context } from "../../context.ts";
import { mulDivDown } from "../../lib/amount.ts";
import { increaseOf, paymentOverrides } from "../../orders/simulate-order-payment.ts";
import { adapterOf } from "../../vaults/families/vault-families.ts";
import { entryOf, exitCalls, type Redemption } from "./proof-exit-calls.ts";
import { freshAccount, isWorth, MAX_MONTHLY_LOSS } from "./proof-worth.ts";
import {
  nullIfUnavailable,
  paidFor,
  previewRead,
  simulateExit,
  simulateLater,
  wordOf,
} from "./simulate-proof-exit.ts";

/** Time after a deposit at which a proof simulates the latest redemption, in seconds: 30 days. */
export const LONGEST_LOCK_S = 30 * 86_400;

/**
 * What a larger deposit returns after 30 days: the proof's `part` of it in the asset's smallest unit, and whether that
 * is worth its part of the deposit. The part is null if unknown, or if the vault's preview states so little.
 */
interface LargeExit {
  part: bigint | null;
  isFair: boolean;
}

/** Redemptions 30 days after their deposits. */
export interface AgedExits {
  /**
   * Result for the proof's own shares; `failedAt` is null if they were redeemed, which `paidFor` then measures. Null if
   * no node can simulate it, or if the deposit failed.
   */
  own: SimulationResult | null;
  large: LargeExit;
}

const NO_LARGE_EXIT: LargeExit = { part: null, isFair: false };

/**
 * Simulates redemptions 30 days later: of the first of the `larger` deposits that can be judged, then of the proof's
 * shares. If these are not paid enough together with it, they are simulated alone; so is the smallest larger deposit,
 * if none could be simulated together with them. Errors of the RPC nodes propagate.
 */
export async function simulateAged(ctx: Context, of: Redemption): Promise<AgedExits> {
  const both = await simulateLargest(ctx, of);
  const returned = both?.own == null ? null : paidFor(of, both.own);
  const { amount } = of.deposit;
  if (both !== null && returned !== null && isWorth(of.deposit, { amount, returned, loss: MAX_MONTHLY_LOSS }))
    return both;
  // Both together may reach a limit or a fee that this one alone does not.
  const own = (await simulateLater(ctx, { ...of, after: LONGEST_LOCK_S })) ?? both?.own ?? null;
  const times = of.larger.at(-1);
  if (both !== null || times === undefined) return { own, large: both?.large ?? NO_LARGE_EXIT };
  const large = enlarged(of, { user: of.deposit.user, times });
  const made = await simulateLater(ctx, { ...large, after: LONGEST_LOCK_S });
  return { own, large: judgeLarge(large, made) };
}

/** Returns what the largest deposit that is judged shows, or the last one that was taken, or null if none was. */
async function simulateLargest(ctx: Context, of: Redemption): Promise<AgedExits | null> {
  let both: AgedExits | null = null;
  for (const times of of.larger) {
    both = (await simulateBoth(ctx, { ...of, times })) ?? both;
    if (both !== null && (both.large.isFair || both.large.part !== null)) return both;
  }
  return both;
}

/**
 * Part of a deposit that is redeemed where all of its shares cannot be: the assets that the deposit itself brought
 * cover it, also in a market without any other.
 */
const COVERED = { of: 10n, parts: 9n } as const;

/** Returns nine tenths of some shares, rounded up, so that they are none only if there are none. */
const coveredPart = (shares: bigint): bigint =>
  shares - mulDivDown(shares, COVERED.of - COVERED.parts, COVERED.of);

/**
 * Simulates the redemption 30 days later of fewer shares than the vault refused. Returns what they pay, scaled to all
 * shares, `trapped` if their refusal counts against the vault, otherwise null. Throws `simulation_unavailable` and
 * errors of the RPC nodes.
 */
export async function redeemCovered(ctx: Context, of: Redemption): Promise<bigint | "trapped" | null> {
  const redeemed = await redeemedAnew(ctx, of);
  if (redeemed === null) return null;
  if (redeemed === 0n) return "trapped";
  const made = await simulateExit(ctx, { ...of, redeemed, after: LONGEST_LOCK_S });
  if (made === null) return null;
  return made.failedAt === null ? paidFor({ ...of, redeemed }, made) : "trapped";
}

/**
 * Returns how many shares of a deposit in 30 days can be redeemed: nine tenths of `redeemed`, or of what it mints if
 * fewer; 0 if none are minted or only all can be redeemed; null if the deposit or every redemption fails, or if no node
 * can simulate them.
 */
async function redeemedAnew(ctx: Context, of: Redemption): Promise<bigint | null> {
  const redeemed = coveredPart(of.redeemed);
  const anew = await simulateLater(ctx, { ...of, redeemed, delay: LONGEST_LOCK_S });
  if (anew === null) return null;
  if (anew.failedAt === null) return redeemed;
  // The minted shares decide, because a hostile vault's views may state any value.
  const minted = increaseOf(anew, 2) ?? 0n;
  if (minted <= 0n) return 0n;
  const fewer = coveredPart(minted);
  const canRedeem = async (part: bigint): Promise<boolean> =>
    (await simulateLater(ctx, { ...of, redeemed: part, delay: LONGEST_LOCK_S }))?.failedAt === null;
  if (fewer < redeemed && (await canRedeem(fewer))) return fewer;
  return (await canRedeem(minted)) ? 0n : null;
}

type Enlarged = Redemption & { times: bigint };

/** Returns the redemption of a larger deposit by an account, `times` the proof's own. */
export function enlarged(of: Redemption, { user, times }: { user: Address; times: bigint }): Enlarged {
  const { deposit, payment } = of;
  const amount = deposit.amount * times;
  const { vault, token } = deposit;
  const request = { token, amount, caller: user, receiver: user, minShares: 1n, async: false };
  return {
    ...of,
    ...{ deposit: { ...deposit, user, amount }, payment: { ...payment, payer: user, amount } },
    ...{ call: adapterOf(vault).encode(vault, request), times },
    ...{ shares: of.shares * times, redeemed: of.redeemed * times },
  };
}

/** Judges the redemption of a larger deposit, with the reads of `simulateExit`. */
function judgeLarge(of: Enlarged, made: SimulationResult | null): LargeExit {
  const { deposit, times } = of;
  const paid = made?.failedAt === null ? paidFor(of, made) : null;
  if (paid === null) return NO_LARGE_EXIT;
  const part = paid / times;
  if (isWorth(deposit, { amount: deposit.amount, returned: paid })) return { part, isFair: true };
  const preview = wordOf(made?.before[1] ?? undefined);
  const isStated = preview !== null && isWorth(deposit, { amount: preview, returned: paid });
  return isStated ? NO_LARGE_EXIT : { part, isFair: false };
}

/**
 * Simulates both deposits in one block and both redemptions in a later one. `own` is null if one of the redemptions
 * failed. Returns null if a deposit failed or if no node can simulate it.
 */
async function simulateBoth(ctx: Context, of: Enlarged): Promise<AgedExits | null> {
  const large = enlarged(of, { user: freshAccount(ctx), times: of.times });
  const [own, other] = [entryOf(ctx, of), entryOf(ctx, large)];
  const byOther = { from: large.deposit.user };
  const entries = [...own.entry, ...other.entry.map((call) => ({ ...call, ...byOther }))];
  const leaving = exitCalls(large).map((call) => ({ ...call, ...byOther }));
  const preview = previewRead(of.deposit.vault.address, large.redeemed);
  const overrides = [
    ...(await paymentOverrides(ctx, of.payment)),
    ...(await paymentOverrides(ctx, large.payment)),
  ];
  const made = await nullIfUnavailable(
    runSimulation(of.payment.client, {
      ...{ ...own.common, overrides, calls: entries },
      reads: [...own.common.reads, ...other.common.reads, preview],
      later: [{ calls: [...leaving, ...exitCalls(of)], time: own.common.time + LONGEST_LOCK_S }],
    }),
  );
  if (made === null || (made.failedAt !== null && made.failedAt < entries.length)) return null;
  const left = entries.length + leaving.length;
  const hasLeft = made.failedAt === null || made.failedAt >= left;
  const ofLarge = {
    ...{ ...made, failedAt: hasLeft ? null : made.failedAt, calls: made.calls.slice(0, left) },
    ...{ before: made.before.slice(1), after: made.after.slice(1) },
  };
  return { own: made.failedAt === null ? made : null, large: judgeLarge(large, ofLarge) };
}
