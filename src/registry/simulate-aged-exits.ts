import { runSimulation } from "../chains/simulator/run-simulation.ts";
import type { SimulationResult } from "../chains/simulator/simulation.ts";
import type { Context } from "../context.ts";
import { mulDivDown } from "../lib/amount.ts";
import { increaseOf, paymentOverrides } from "../orders/simulate-order-payment.ts";
import { adapterOf } from "../vaults/families/vault-families.ts";
import { entryOf, exitCalls, type Redemption } from "./proof-exit-calls.ts";
import { freshAccount, isWorth } from "./proof-worth.ts";
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
 * is worth its part of the deposit. The part is null if the redemption failed or was not simulated, or if the vault's
 * preview states as little.
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
 * Simulates the redemption of the proof's shares and of a larger deposit's 30 days later: in one request, in which the
 * larger one, of another account, leaves first. If the redemption of the proof's shares fails or pays too little there,
 * it is simulated alone, because both together may reach a limit or a fee that it alone does not. The larger one's is
 * simulated alone if the request could not be simulated or a deposit failed in it. If `times` is 1, there is no larger
 * deposit. Errors of the RPC nodes propagate.
 */
export async function simulateAged(ctx: Context, of: Redemption): Promise<AgedExits> {
  const both = of.times === 1n ? null : await simulateBoth(ctx, of);
  const returned = both?.own == null ? null : paidFor(of, both.own);
  if (both !== null && returned !== null && isWorth(of.deposit, { amount: of.deposit.amount, returned }))
    return both;
  const own = (await simulateLater(ctx, { ...of, after: LONGEST_LOCK_S })) ?? both?.own ?? null;
  if (both !== null || of.times === 1n) return { own, large: both?.large ?? NO_LARGE_EXIT };
  const large = enlarged(of, of.deposit.user);
  const made = await simulateLater(ctx, { ...large, after: LONGEST_LOCK_S });
  return { own, large: judgeLarge(large, made) };
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
 * Simulates redemptions of fewer shares than the vault refused. First, 30 days from now, of a deposit made then: null
 * if they cannot be redeemed, so that it is not their age that keeps old ones. Then of shares of that age: returns ten
 * ninths of what they pay; `trapped` if they cannot be redeemed, or if the deposit made then mints none; null if a
 * deposit failed, or if the payment is unknown. Throws `simulation_unavailable`; errors of the RPC nodes propagate.
 */
export async function redeemCovered(ctx: Context, of: Redemption): Promise<bigint | "trapped" | null> {
  const redeemed = await redeemedAnew(ctx, of);
  if (redeemed === null) return null;
  if (redeemed === 0n) return "trapped";
  const made = await simulateExit(ctx, { ...of, redeemed, after: LONGEST_LOCK_S });
  if (made === null) return null;
  if (made.failedAt !== null) return "trapped";
  const paid = paidFor(of, made);
  return paid === null ? null : mulDivDown(paid, COVERED.of, COVERED.parts);
}

/**
 * Returns how many shares of a deposit made in 30 days can be redeemed at once: nine tenths of `redeemed`; or, if that
 * fails, of what the deposit mints if that is fewer, as when the shares have grown. The minted shares decide, because
 * a hostile vault's views may state any value. 0 if none are minted; null if the deposit or both redemptions fail.
 */
async function redeemedAnew(ctx: Context, of: Redemption): Promise<bigint | null> {
  const redeemed = coveredPart(of.redeemed);
  const anew = await simulateLater(ctx, { ...of, redeemed, delay: LONGEST_LOCK_S });
  if (anew === null) return null;
  if (anew.failedAt === null) return redeemed;
  const minted = increaseOf(anew, 2) ?? 0n;
  if (minted <= 0n) return 0n;
  const fewer = coveredPart(minted);
  if (fewer >= redeemed) return null;
  const again = await simulateLater(ctx, { ...of, redeemed: fewer, delay: LONGEST_LOCK_S });
  return again?.failedAt === null ? fewer : null;
}

/** Returns the redemption of a larger deposit by an account, `times` the proof's own. */
function enlarged(of: Redemption, user: Redemption["deposit"]["user"]): Redemption {
  const { deposit, payment, times } = of;
  const amount = deposit.amount * times;
  const { vault, token } = deposit;
  const request = { token, amount, caller: user, receiver: user, minShares: 1n, async: false };
  return {
    ...of,
    ...{ deposit: { ...deposit, user, amount }, payment: { ...payment, payer: user, amount } },
    ...{ call: adapterOf(vault).encode(vault, request), redeemed: of.redeemed * times },
  };
}

/** Judges the redemption of a larger deposit, with the reads of `simulateExit`. */
function judgeLarge({ deposit, times }: Redemption, made: SimulationResult | null): LargeExit {
  const paid = made?.failedAt === null ? paidFor({ deposit }, made) : null;
  if (paid === null) return NO_LARGE_EXIT;
  const part = paid / times;
  if (isWorth(deposit, { amount: deposit.amount, returned: paid })) return { part, isFair: true };
  const preview = wordOf(made?.before[1] ?? undefined);
  const isStated = preview !== null && isWorth(deposit, { amount: preview, returned: paid });
  return isStated ? NO_LARGE_EXIT : { part, isFair: false };
}

/**
 * Simulates both deposits in one block and both redemptions in a later one. `own` is null if one of the redemptions
 * failed, and the larger one is judged unless it was that. Returns null if a deposit failed or if no node can simulate
 * it.
 */
async function simulateBoth(ctx: Context, of: Redemption): Promise<AgedExits | null> {
  const large = enlarged(of, freshAccount(ctx));
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
      later: { calls: [...leaving, ...exitCalls(of)], time: own.common.time + LONGEST_LOCK_S },
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
