import type { Address } from "viem";
import type { Context } from "../context.ts";
import type { AppError } from "../errors.ts";
import { sameAddress } from "../lib/address.ts";
import { adapterOf } from "../vaults/families/vault-families.ts";
import type { Token, Vault } from "../vaults/vault.ts";
import type { ExitMode } from "../vaults/vault-exits.ts";
import { tryWithdrawal, type WithdrawalTrial } from "../withdrawals/prepare-withdrawal.ts";
import { findPayablePart, type PayablePart } from "./find-payable-part.ts";

/**
 * Largest number of other tokens that are tried, all in parallel. With those of the first token and the search of a
 * part in one other token, an answer must not take more requests than a Worker may make.
 */
const MAX_TOKENS = 3;

/** A mode in which the vault lacks liquidity in `token`, and the smallest number of shares that it takes. */
export interface DryMode {
  mode: ExitMode;
  token: Token;
  least: bigint;
}

/**
 * Searches by simulation for another token in which a vault pays the held shares, in modes in which it lacks liquidity
 * in the first one: all of them, otherwise a part of them in the first that may pay one. Null if it finds none.
 */
export async function findOtherToken(
  ctx: Context,
  of: { vault: Vault; user: Address; held: bigint; dry: readonly DryMode[] },
): Promise<PayablePart | null> {
  const { vault, user, held, dry } = of;
  const { exits } = adapterOf(vault);
  const trials = dry.flatMap(({ mode, token, least }) => {
    const others = exits?.tokens(vault, mode).filter(({ address }) => !sameAddress(address, token.address));
    return (others ?? []).map(({ address }) => ({
      ...{ mode, least },
      asked: { vault, user, token: address, mode: mode === "instant" ? mode : "request" } as const,
    }));
  });
  const tried = await Promise.all(
    trials.slice(0, MAX_TOKENS).map(async (trial) => ({
      ...trial,
      seen: await tryWithdrawal(ctx, { ...trial.asked, shares: held }),
    })),
  );
  for (const { asked, seen } of tried)
    if (seen !== null && "mode" in seen && paysAsked(asked, seen.token)) return { ...seen, shares: held };
  const partly = tried.find(({ mode, seen }) => {
    const refusal = seen === null || "mode" in seen ? undefined : seen.refusals.get(mode);
    return isShort(refusal) && refusal.members["available"] !== "0";
  });
  if (partly === undefined) return null;
  const { asked, least } = partly;
  const part = await findPayablePart(ctx, { ...asked, held, least, below: held });
  return part !== null && paysAsked(asked, part.token) ? part : null;
}

/** Returns true if a vault refuses a mode because it lacks liquidity in the token. */
export const isShort = (refusal: AppError | undefined): refusal is AppError =>
  refusal?.code === "no_liquidity";

/** Returns true if a trial was paid in the token that it asked for: a vault that refuses it may pay another one. */
const paysAsked = (asked: Omit<WithdrawalTrial, "shares">, { address }: Token): boolean =>
  sameAddress(address, asked.token ?? "");
