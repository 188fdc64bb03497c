import type { Address, Hex } from "viem";
import { runSimulation } from "../chains/simulator/run-simulation.ts";
import type { SimulationCall, SimulationResult } from "../chains/simulator/simulation.ts";
import type { Context } from "../context.ts";
import { mulDivDown } from "../lib/amount.ts";
import { balanceOfRead, increaseOf, paymentOverrides } from "../orders/simulate-order-payment.ts";
import { adapterOf, explainExitRevert } from "../vaults/families/vault-families.ts";
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
/** Gas from which on a simulation may have reached a limit of the node or of a block; these are usually higher. */
const MUCH_GAS = 10_000_000n;

type LaterRedemption = Redemption & { after: number };

/** Accounts that deposit in this order, and what each of them redeems. */
interface Crowd {
  of: LaterRedemption;
  users: readonly Address[];
  share: Share;
}

/** An account of a crowd was not paid its worth. */
interface CrowdFault {
  /** Revert data of its redemption, or null if it was paid much less. */
  revert: Hex | null;
  /** Accounts whose redemptions show whether a limit was the cause: two if it may have been that of gas, or all. */
  again: readonly Address[];
}

/**
 * Simulates deposits by other accounts and their redemptions `after` seconds later: of parts, or of all shares if the
 * proof's account cannot redeem a part. Returns why the vault is refused, if one of them is not paid their worth
 * although the proof's account alone is, and no limit that all share explains it; otherwise null. Errors of the RPC
 * nodes propagate.
 */
export async function findTrappedAccount(ctx: Context, of: LaterRedemption): Promise<string | null> {
  const users = Array.from({ length: CROWD }, () => freshAccount(ctx));
  for (const plan of of.redeemed < of.shares ? [IN_PARTS, WHOLE] : [WHOLE]) {
    const fault = await findFault(ctx, { of, users, plan });
    if (fault === null) return null;
    const redemption = redeeming(of, plan.usual.part);
    const alone = await simulateLater(ctx, redemption);
    if (alone?.failedAt === null && isPaid(redemption, paidFor(redemption, alone)))
      return explainFault(of, fault);
  }
  return null;
}

/** Returns the fault of a crowd that its plan's smaller redemptions do not excuse, or null. */
async function findFault(
  ctx: Context,
  { plan, ...of }: Omit<Crowd, "share"> & { plan: Plan },
): Promise<CrowdFault | null> {
  const fault = await simulateCrowd(ctx, { ...of, share: plan.usual });
  if (fault === null || fault === "undeposited") return null;
  // A limit of liquidity or of gas ends the redemptions of any accounts; one that the vault traps cannot redeem less.
  const less = await simulateCrowd(ctx, { ...of, users: fault.again, share: plan.less });
  return less === null ? null : fault;
}

function explainFault({ deposit }: LaterRedemption, { revert }: CrowdFault): string {
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
 * Returns what shows that an account of a crowd is not paid its worth, `undeposited` if a deposit fails, or null if
 * nothing shows it.
 */
async function simulateCrowd(
  ctx: Context,
  { of, users, share }: Crowd,
): Promise<CrowdFault | "undeposited" | null> {
  const { part } = share;
  const planned = users.map((user) => asOther(redeeming(of, part), { user, divisor: share.divisor }));
  const crowd = part === null ? await redeemingAll(ctx, { of, crowd: planned }) : planned;
  if (crowd === null || crowd === "undeposited") return crowd;
  const leaving = [
    ...crowd.filter((_, index) => index % 2 === 1),
    ...crowd.filter((_, index) => index % 2 === 0),
  ];
  const exits = leaving.flatMap((one) => exitCalls(one).map((call) => asUser(one, call)));
  const token = of.deposit.token.address;
  const made = await simulateTogether(ctx, { of, crowd, exits, token });
  if (made === null || made === "undeposited") return made;
  if (made.failedAt !== null) return revertOf(made, { users, by: exits[made.failedExit]?.from });
  const isShort = (one: Redemption, index: number): boolean => {
    const change = increaseOf(made, index);
    if (change === null) return false;
    const paid = one.deposit.amount + change;
    return !isPaid(one, part === null ? paid : mulDivDown(paid, part.of, part.parts));
  };
  return crowd.some(isShort) ? { revert: null, again: users } : null;
}

/** Returns the redemptions of all shares that the accounts of a crowd have by then, as `simulateCrowd`. */
async function redeemingAll(
  ctx: Context,
  { of, crowd }: Pick<Crowd, "of"> & { crowd: readonly Redemption[] },
): Promise<Redemption[] | "undeposited" | null> {
  const token = of.deposit.vault.shareToken;
  const made = await simulateTogether(ctx, { of, crowd, exits: [], token });
  if (made === null || made === "undeposited") return made;
  // An account whose balance the vault does not show redeems what it may have, so that it does not end the judgement.
  return crowd.map((one, index) => ({
    ...one,
    redeemed: wordOf(made.after[index] ?? undefined) ?? one.redeemed,
  }));
}

/**
 * Simulates a crowd's deposits and later these calls, of which `failedExit` failed if one did. The reads are the
 * accounts' balances of the token. Returns `undeposited` if a deposit fails, null if no node can simulate it.
 */
async function simulateTogether(
  ctx: Context,
  together: Pick<Crowd, "of"> & {
    crowd: readonly Redemption[];
    exits: readonly SimulationCall[];
    token: Address;
  },
): Promise<(SimulationResult & { failedExit: number }) | "undeposited" | null> {
  const { of, crowd, exits, token } = together;
  const entries = crowd.flatMap((one) => entryOf(ctx, one).entry.map((call) => asUser(one, call)));
  const overrides = await Promise.all(crowd.map((one) => paymentOverrides(ctx, one.payment)));
  const { common } = entryOf(ctx, of);
  const made = await nullIfUnavailable(
    runSimulation(of.payment.client, {
      ...{ ...common, overrides: overrides.flat(), calls: entries },
      reads: crowd.map((one) => balanceOfRead(token, one.deposit.user)),
      later: { calls: exits, time: common.time + of.after },
    }),
  );
  if (made === null) return null;
  const failedExit = (made.failedAt ?? entries.length) - entries.length;
  return failedExit < 0 ? "undeposited" : { ...made, failedExit };
}

/** Returns the fault of the redemption at which a simulation ended, that of the account `by`. */
function revertOf(
  { calls }: SimulationResult,
  { users, by }: { users: readonly Address[]; by: Address | undefined },
): CrowdFault {
  const revert = calls.at(-1)?.returnData ?? "0x";
  const gas = calls.reduce((sum, { gasUsed }) => sum + gasUsed, 0n);
  const other = users.findLast((user) => user !== by);
  const isPair = gas >= MUCH_GAS && by !== undefined && other !== undefined;
  return { revert, again: isPair ? [by, other] : users };
}

/** Returns the redemption of another account with a deposit of its own, a divisor of the proof's. */
function asOther(of: Redemption, { user, divisor }: { user: Address; divisor: bigint }): Redemption {
  const { vault, token } = of.deposit;
  const amount = of.deposit.amount / divisor;
  const request = { token, amount, caller: user, receiver: user, minShares: 1n, async: false };
  return {
    ...of,
    deposit: { ...of.deposit, user, amount },
    payment: { ...of.payment, payer: user, amount },
    call: adapterOf(vault).encode(vault, request),
  };
}

const asUser = <T>({ deposit }: Redemption, call: T) => ({ ...call, from: deposit.user });
