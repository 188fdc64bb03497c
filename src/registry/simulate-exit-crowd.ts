import type { Address, Hex } from "viem";
import { runSimulation } from "../chains/simulator/run-simulation.ts";
import type { SimulationResult } from "../chains/simulator/simulation.ts";
import type { Context } from "../context.ts";
import { mulDivDown } from "../lib/amount.ts";
import { balanceOfRead, increaseOf, paymentOverrides } from "../orders/simulate-order-payment.ts";
import { adapterOf, explainExitRevert } from "../vaults/families/vault-families.ts";
import { entryOf, exitCalls, type Redemption } from "./proof-exit-calls.ts";
import { freshAccount, isWorth } from "./proof-worth.ts";
import { nullIfUnavailable, paidFor, simulateLater } from "./simulate-proof-exit.ts";

/** Number of other accounts that deposit and redeem together. */
const CROWD = 6;
/**
 * Part of its shares that each account redeems: the vault's assets cover it, and each has as many, although the share
 * price may rise with each deposit.
 */
const PART = { of: 4n, parts: 3n } as const;
/** Part that each account redeems instead where all may share a limit: six of them are one `PART`. */
const SMALL_PART = { of: 8n, parts: 1n } as const;
/** Gas of a simulation which may have reached a limit of the node or of a block: less than these usually are. */
const MUCH_GAS = 10_000_000n;

type LaterRedemption = Redemption & { after: number };

/** Accounts that deposit in this order, and the part of its shares that each redeems. */
interface Crowd {
  of: LaterRedemption;
  users: readonly Address[];
  part: { of: bigint; parts: bigint };
}

/** An account of a crowd was not paid its worth. */
interface CrowdFault {
  /** Revert data of its redemption, or null if it was paid much less. */
  revert: Hex | null;
  /** Accounts whose redemptions show whether a limit was the cause: two if it may have been that of gas, or all. */
  again: readonly Address[];
}

/**
 * Simulates deposits by other accounts and their redemptions `after` seconds later. Returns why the vault is refused,
 * if one of them is not paid their worth although the proof's account alone is, and no limit that all share explains
 * it; otherwise null. Errors of the RPC nodes propagate.
 */
export async function findTrappedAccount(ctx: Context, of: LaterRedemption): Promise<string | null> {
  const users = Array.from({ length: CROWD }, () => freshAccount(ctx));
  const fault = await simulateCrowd(ctx, { of, users, part: PART });
  if (fault === null) return null;
  // A limit of liquidity or of gas ends the redemptions of any accounts; one that the vault traps cannot redeem less.
  if ((await simulateCrowd(ctx, { of, users: fault.again, part: SMALL_PART })) === null) return null;
  const redemption = redeeming(of, PART);
  const alone = await simulateLater(ctx, redemption);
  if (alone?.failedAt !== null || !isPaid(redemption, paidFor(redemption, alone))) return null;
  if (fault.revert === null) return "some accounts are paid much less for their shares than others";
  const { text } = explainExitRevert(of.deposit.vault, fault.revert);
  return `some accounts cannot redeem their shares${text === null ? "" : `: ${text}`}`;
}

const redeeming = (of: LaterRedemption, { of: whole, parts }: Crowd["part"]): LaterRedemption => ({
  ...of,
  redeemed: mulDivDown(of.shares, parts, whole),
});

const isPaid = ({ deposit }: Redemption, paid: bigint | null): boolean =>
  paid !== null && isWorth(deposit, { amount: deposit.amount, returned: paid });

/** Returns what shows that an account of a crowd is not paid its worth, or null if nothing does. */
async function simulateCrowd(ctx: Context, { of, users, part }: Crowd): Promise<CrowdFault | null> {
  const crowd = users.map((user) => asOther(redeeming(of, part), user));
  const entries = crowd.flatMap((one) => entryOf(ctx, one).entry.map((call) => asUser(one, call)));
  const leaving = [
    ...crowd.filter((_, index) => index % 2 === 1),
    ...crowd.filter((_, index) => index % 2 === 0),
  ];
  const exits = leaving.flatMap((one) => exitCalls(one).map((call) => asUser(one, call)));
  const overrides = await Promise.all(crowd.map((one) => paymentOverrides(ctx, one.payment)));
  const { common } = entryOf(ctx, of);
  const made = await nullIfUnavailable(
    runSimulation(of.payment.client, {
      ...{ ...common, overrides: overrides.flat(), calls: entries },
      reads: crowd.map((one) => balanceOfRead(of.deposit.token.address, one.deposit.user)),
      later: { calls: exits, time: common.time + of.after },
    }),
  );
  if (made === null || (made.failedAt !== null && made.failedAt < entries.length)) return null;
  if (made.failedAt !== null)
    return revertOf(made, { users, by: exits[made.failedAt - entries.length]?.from });
  const isShort = (one: Redemption, index: number): boolean => {
    const change = increaseOf(made, index);
    if (change === null) return false;
    return !isPaid(one, mulDivDown(one.deposit.amount + change, part.of, part.parts));
  };
  return crowd.some(isShort) ? { revert: null, again: users } : null;
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

/** Returns the redemption of another account with a deposit of its own. */
function asOther(of: Redemption, user: Address): Redemption {
  const { vault, token, amount } = of.deposit;
  const request = { token, amount, caller: user, receiver: user, minShares: 1n, async: false };
  return {
    ...of,
    deposit: { ...of.deposit, user },
    payment: { ...of.payment, payer: user },
    call: adapterOf(vault).encode(vault, request),
  };
}

const asUser = <T>({ deposit }: Redemption, call: T) => ({ ...call, from: deposit.user });
