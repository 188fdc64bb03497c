import type { Address, Hex } from "viem";
import { runSimulation } from "../../chains/simulator/run-simulation.ts";
import type { SimulationResult } from "../../chains/simulator/simulation.ts";
import type { Context } from "../../context.ts";
import { mulDivDown } from "../../lib/amount.ts";
import { DAY_S } from "../../lib/durations.ts";
import { balanceOfRead, increaseOf, paymentOverrides } from "../../orders/simulate-order-payment.ts";
import { adapterOf, explainExitRevert } from "../../vaults/families/vault-families.ts";
import { entryOf, exitCalls, type Redemption } from "./proof-exit-calls.ts";
import { freshAccount, isWorth } from "./proof-worth.ts";
import { nullIfUnavailable, paidFor, simulateLater, wordOf } from "./simulate-proof-exit.ts";

/** Number of other accounts that deposit and redeem together. */
const CROWD = 6;
/**
 * What each account of a crowd deposits, as a divisor of the proof's amount, and the part of its shares that it
 * redeems, null for all.
 */
interface Share {
  divisor: bigint;
  part: { of: bigint; parts: bigint } | null;
}

/** What the accounts of a crowd redeem: `usual` first, then `less`, to see whether a shared limit was the cause. */
interface Plan {
  usual: Share;
  less: Share;
}

/**
 * Accounts that redeem a part of the shares that the proof's deposit mints. The vault's assets cover it, and each
 * account has as many shares, even if the price rises with each deposit. Six of the smaller parts are one usual part.
 */
const IN_PARTS: Plan = {
  usual: { divisor: 1n, part: { of: 4n, parts: 3n } },
  less: { divisor: 1n, part: { of: 8n, parts: 1n } },
};
/** Accounts that redeem all shares that they then have. Six of the smaller deposits are one of the usual ones. */
const WHOLE: Plan = { usual: { divisor: 1n, part: null }, less: { divisor: 6n, part: null } };
/**
 * Largest gas limits of a crowd's calls. A node limits the gas of a whole simulation, to 50 million by geth's default
 * in all of its blocks together: six accounts stay within it, so that no vault can end the simulation by what it takes.
 * A deposit or redemption of any known family that pays at once takes less than half of its limit.
 */
const DEPOSIT_GAS = 3_000_000n;
const EXIT_GAS = 5_000_000n;
/** Time between the accounts' blocks, in seconds. Each account has its own, because a limit may hold for each block. */
const BLOCK_S = 12;

/** A redemption `after` seconds after the deposit; `apart` is as `BLOCK_S`, which it replaces. */
type LaterRedemption = Redemption & { after: number; apart?: number };

/** Accounts that deposit in this order, and what each of them redeems. */
interface Crowd {
  of: LaterRedemption;
  users: readonly Address[];
  share: Share;
}

type PlannedCrowd = Omit<Crowd, "share"> & { plan: Plan };

/**
 * What counts against a vault: an account of a crowd was not paid its worth, with the revert data of its redemption, or
 * null if it was paid much less; or a deposit takes too much gas.
 */
type CrowdFault = { kind: "trapped"; revert: Hex | null } | { kind: "costly" };

/**
 * Simulates deposits by other accounts and their redemptions `after` seconds later, each in a block of its own: of
 * parts, or of all shares if the proof's account cannot redeem a part. Returns why the vault must be refused: an
 * account is not paid its worth although the proof's account alone is, and no limit on all accounts together explains
 * it; or deposits or redemptions take too much gas. Otherwise null. Errors of the RPC nodes propagate.
 */
export async function findTrappedAccount(ctx: Context, of: LaterRedemption): Promise<string | null> {
  const users = Array.from({ length: CROWD }, () => freshAccount(ctx));
  for (const plan of of.redeemed < of.shares ? [IN_PARTS, WHOLE] : [WHOLE]) {
    const fault = await findFault(ctx, { of, users, plan });
    if (fault === null) return null;
    if (fault.kind === "costly")
      return `some deposits take more than ${DEPOSIT_GAS.toLocaleString("en-US")} gas`;
    const redemption = redeeming(of, plan.usual.part);
    if (await isPaidAlone(ctx, { ...redemption, exitGas: EXIT_GAS })) return explainFault(of, fault.revert);
    if (await isPaidAlone(ctx, redemption))
      return `a redemption takes more than ${EXIT_GAS.toLocaleString("en-US")} gas`;
  }
  return null;
}

/** Returns true if the proof's account alone is paid its worth. */
async function isPaidAlone(ctx: Context, of: LaterRedemption): Promise<boolean> {
  const made = await simulateLater(ctx, of);
  return made?.failedAt === null && isPaid(of, paidFor(of, made));
}

/** Returns the fault of a crowd that its plan's smaller redemptions do not excuse, or null. */
async function findFault(ctx: Context, crowd: PlannedCrowd): Promise<CrowdFault | null> {
  const { plan, ...of } = crowd;
  const fault = await simulateCrowd(ctx, { ...of, share: plan.usual });
  if (fault === null) return null;
  // Limits on the deposits of a time or on all of them may excuse the vault, which then takes less on later days.
  if (fault === "undeposited") return of.of.apart === undefined ? findFault(ctx, slower(crowd)) : null;
  if (fault.kind === "costly") return fault;
  // A limit of liquidity ends the redemptions of any accounts; one that the vault traps cannot redeem less.
  const less = await simulateCrowd(ctx, { ...of, share: plan.less });
  return less === null ? null : fault;
}

/** Returns the crowd with deposits a day apart, together as large as one of the usual ones. */
function slower(crowd: PlannedCrowd): PlannedCrowd {
  const small = (share: Share): Share => ({ ...share, divisor: BigInt(CROWD) });
  const { of, plan } = crowd;
  return {
    ...crowd,
    ...{ of: { ...of, apart: DAY_S }, plan: { usual: small(plan.usual), less: small(plan.less) } },
  };
}

function explainFault({ deposit }: LaterRedemption, revert: Hex | null): string {
  if (revert === null) return "some accounts are paid much less for their shares than others";
  const { text } = explainExitRevert(deposit.vault, revert);
  return `some accounts cannot redeem their shares${text === null ? "" : `: ${text}`}`;
}

/** Returns the redemption of a part of all shares, or the given one for null. */
const redeeming = (of: LaterRedemption, part: Share["part"]): LaterRedemption =>
  part === null ? of : { ...of, redeemed: mulDivDown(of.shares, part.parts, part.of) };

const isPaid = ({ deposit }: Redemption, paid: bigint | null): boolean =>
  paid !== null && isWorth(deposit, { amount: deposit.amount, returned: paid });

/**
 * Returns what counts against the vault in a crowd, `undeposited` if the vault takes no deposit of one of its accounts,
 * or null if nothing does.
 */
async function simulateCrowd(
  ctx: Context,
  { of, users, share }: Crowd,
): Promise<CrowdFault | "undeposited" | null> {
  const { part } = share;
  const planned = users.map((user) => asOther(redeeming(of, part), { user, divisor: share.divisor }));
  const crowd = part === null ? await redeemingAll(ctx, { of, crowd: planned }) : planned;
  if (!Array.isArray(crowd)) return crowd;
  const leaving = [
    ...crowd.filter((_, index) => index % 2 === 1),
    ...crowd.filter((_, index) => index % 2 === 0),
  ];
  const made = await simulateTogether(ctx, { of, crowd, leaving, token: of.deposit.token.address });
  if (made === null || made === "undeposited" || "kind" in made) return made;
  if (made.failedAt !== null) return { kind: "trapped", revert: made.calls.at(-1)?.returnData ?? "0x" };
  const isShort = (one: Redemption, index: number): boolean => {
    const change = increaseOf(made, index);
    if (change === null) return false;
    const paid = one.deposit.amount + change;
    return !isPaid(one, part === null ? paid : mulDivDown(paid, part.of, part.parts));
  };
  return crowd.some(isShort) ? { kind: "trapped", revert: null } : null;
}

/** Returns the redemptions of all shares that the accounts of a crowd have by then, as `simulateCrowd`. */
async function redeemingAll(
  ctx: Context,
  { of, crowd }: Pick<Crowd, "of"> & { crowd: readonly Redemption[] },
): Promise<Redemption[] | CrowdFault | "undeposited" | null> {
  const token = of.deposit.vault.shareToken;
  const made = await simulateTogether(ctx, { of, crowd, leaving: [], token });
  if (made === null || made === "undeposited" || "kind" in made) return made;
  // An account whose balance the vault does not show redeems what it may have, so that it does not end the judgement.
  return crowd.map((one, index) => ({
    ...one,
    redeemed: wordOf(made.after[index] ?? undefined) ?? one.redeemed,
  }));
}

interface Together {
  of: LaterRedemption;
  crowd: readonly Redemption[];
  leaving: readonly Redemption[];
  /** Token whose balances of the accounts are read. */
  token: Address;
}

/**
 * Simulates a crowd's deposits, and later the redemptions of those that leave. Returns `costly` if a deposit succeeds
 * only with more gas than `DEPOSIT_GAS`, `undeposited` if the vault takes none of one account, null if no node can
 * simulate it.
 */
async function simulateTogether(
  ctx: Context,
  of: Together,
): Promise<SimulationResult | CrowdFault | "undeposited" | null> {
  const usual = of.of.gas ?? DEPOSIT_GAS;
  const first = await simulateWithin(ctx, { ...of, gas: usual < DEPOSIT_GAS ? usual : DEPOSIT_GAS });
  if (first.refused === null) return first.made;
  // A later deposit may take more gas than the first, whose limit it has.
  const second = usual < DEPOSIT_GAS ? await simulateWithin(ctx, { ...of, gas: DEPOSIT_GAS }) : first;
  if (second.refused === null) return second.made;
  const { refused } = second;
  const entering = { ...of, crowd: of.crowd.slice(0, refused + 1), leaving: [] };
  const more = await simulateWithin(ctx, { ...entering, gas: DEPOSIT_GAS, unlimited: refused });
  return more.refused === null && more.made !== null ? { kind: "costly" } : "undeposited";
}

/**
 * Simulates what `simulateTogether` does, with a gas limit for all deposits but that of the account number `unlimited`.
 * `refused` is the number of the account whose deposit fails, or null.
 */
async function simulateWithin(
  ctx: Context,
  within: Together & { gas: bigint; unlimited?: number },
): Promise<{ made: SimulationResult | null; refused: number | null }> {
  const { of, crowd, leaving, token, gas, unlimited } = within;
  const { common } = entryOf(ctx, of);
  const entries = crowd.map((one, index) => {
    const { entry } = entryOf(ctx, { ...one, gas: index === unlimited ? null : gas });
    return entry.map((call) => asUser(one, call));
  });
  const exits = leaving.map((one) =>
    exitCalls({ ...one, exitGas: EXIT_GAS }).map((call) => asUser(one, call)),
  );
  const { apart = BLOCK_S } = of;
  const end = common.time + (crowd.length - 1) * apart + of.after;
  const [first = [], ...others] = entries;
  const overrides = await Promise.all(crowd.map((one) => paymentOverrides(ctx, one.payment)));
  const made = await nullIfUnavailable(
    runSimulation(of.payment.client, {
      ...{ ...common, overrides: overrides.flat(), calls: first },
      reads: crowd.map((one) => balanceOfRead(token, one.deposit.user)),
      later: [
        ...others.map((calls, index) => ({ calls, time: common.time + (index + 1) * apart })),
        ...exits.map((calls, index) => ({ calls, time: end + index * BLOCK_S })),
      ],
    }),
  );
  const entrants = entries.flatMap((calls, index) => calls.map(() => index));
  const failedAt = made?.failedAt ?? null;
  return { made, refused: failedAt === null ? null : (entrants[failedAt] ?? null) };
}

/** Returns the redemption of another account with a deposit of its own, a divisor of the proof's. */
function asOther(of: Redemption, { user, divisor }: { user: Address; divisor: bigint }): Redemption {
  const { vault, token } = of.deposit;
  const amount = of.deposit.amount / divisor;
  const request = { token, amount, caller: user, receiver: user, minShares: 1n, async: false };
  return {
    ...of,
    redeemed: of.redeemed / divisor,
    deposit: { ...of.deposit, user, amount },
    payment: { ...of.payment, payer: user, amount },
    call: adapterOf(vault).encode(vault, request),
  };
}

const asUser = <T>({ deposit }: Redemption, call: T) => ({ ...call, from: deposit.user });
