import type { Hex } from "viem";
import { runSimulation } from "../chains/simulator/run-simulation.ts";
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

/**
 * Simulates deposits by other accounts and their redemptions `after` seconds later. Returns why the vault is refused,
 * if one of them is not paid their worth although the proof's account alone is; otherwise null. Errors of the RPC nodes
 * propagate.
 */
export async function findTrappedAccount(
  ctx: Context,
  of: Redemption & { after: number },
): Promise<string | null> {
  const redemption = { ...of, redeemed: mulDivDown(of.shares, PART.parts, PART.of) };
  const revert = await simulateCrowd(ctx, redemption);
  if (revert === null) return null;
  const alone = await simulateLater(ctx, redemption);
  if (alone?.failedAt !== null || !isPaid(redemption, paidFor(redemption, alone))) return null;
  if (revert === "short") return "some accounts are paid much less for their shares than others";
  const { text } = explainExitRevert(of.deposit.vault, revert);
  return `some accounts cannot redeem their shares${text === null ? "" : `: ${text}`}`;
}

const isPaid = ({ deposit }: Redemption, paid: bigint | null): boolean =>
  paid !== null && isWorth(deposit, { amount: deposit.amount, returned: paid });

/** Returns the revert data of a failed redemption, `short` if one was paid much less, or null. */
async function simulateCrowd(
  ctx: Context,
  of: Redemption & { after: number },
): Promise<Hex | "short" | null> {
  const { client } = of.payment;
  const crowd = Array.from({ length: CROWD }, () => asOther(ctx, of));
  const entries = crowd.flatMap((one) => entryOf(ctx, one).entry.map((call) => asUser(one, call)));
  const leaving = [
    ...crowd.filter((_, index) => index % 2 === 1),
    ...crowd.filter((_, index) => index % 2 === 0),
  ];
  const overrides = await Promise.all(crowd.map((one) => paymentOverrides(ctx, one.payment)));
  const { common } = entryOf(ctx, of);
  const made = await nullIfUnavailable(
    runSimulation(client, {
      ...{ ...common, overrides: overrides.flat(), calls: entries },
      reads: crowd.map((one) => balanceOfRead(of.deposit.token.address, one.deposit.user)),
      later: {
        calls: leaving.flatMap((one) => exitCalls(one).map((call) => asUser(one, call))),
        time: common.time + of.after,
      },
    }),
  );
  if (made === null || (made.failedAt !== null && made.failedAt < entries.length)) return null;
  if (made.failedAt !== null) return made.calls.at(-1)?.returnData ?? "0x";
  const isShort = (one: Redemption, index: number): boolean => {
    const change = increaseOf(made, index);
    if (change === null) return false;
    return !isPaid(one, mulDivDown(one.deposit.amount + change, PART.of, PART.parts));
  };
  return crowd.some(isShort) ? "short" : null;
}

/** Returns the redemption of another account with a deposit of its own. */
function asOther(ctx: Context, of: Redemption): Redemption {
  const user = freshAccount(ctx);
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
