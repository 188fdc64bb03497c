import type { Context } from "../context.ts";
import { larger } from "../lib/amount.ts";
import type { Token } from "../vaults/vault.ts";
import type { ExitMode } from "../vaults/vault-exits.ts";
import { tryWithdrawal, type WithdrawalTrial } from "../withdrawals/prepare-withdrawal.ts";

/** A number of shares that a simulation let leave, in the share token's smallest unit, with mode and token of that. */
export interface PayablePart {
  shares: bigint;
  mode: ExitMode;
  token: Token;
}

/** Parts of the shares that are tried first, in parts per 10,000: the vault that pays neither pays nothing. */
const SMALL = [100n, 1n] as const;
/** Parts that are tried if the larger small one succeeds, in parts per 10,000. */
const LARGE = [7_500n, 5_000n, 2_500n, 1_000n] as const;
const WHOLE = 10_000n;

/** Number of rounds that divide what is left between the largest success and the smallest failure, into `PIECES`. */
const ROUNDS = 2;
const PIECES = 4n;

/**
 * Searches by simulation for the largest part of the shares that a vault pays, if no view shows how many. `below`: the
 * smallest number that it refused; `least`: the smallest that it takes. Null if it pays not even a small part. The
 * result is short of the largest by less than 2% of the shares. A vault that pays nothing costs one round of two
 * simulations in parallel, any other at most four rounds of 12 in all.
 */
export async function findPayablePart(
  ctx: Context,
  of: Omit<WithdrawalTrial, "shares"> & { held: bigint; below: bigint; least: bigint },
): Promise<PayablePart | null> {
  const { held, below, least, ...trial } = of;
  let best: PayablePart | null = null;
  let refused = below;
  const partOf = (part: bigint) => larger((held * part) / WHOLE, least) ?? least;
  const search = async (numbers: readonly bigint[]) => {
    const low = best?.shares ?? 0n;
    const asked = [...new Set(numbers)].filter((shares) => shares > low && shares < refused);
    const seen = await Promise.all(asked.map((shares) => tryWithdrawal(ctx, { ...trial, shares })));
    for (const [index, one] of seen.entries()) {
      const shares = asked[index] ?? 0n;
      if (one !== null && "mode" in one && shares > (best?.shares ?? 0n)) best = { ...one, shares };
    }
    const reached = best?.shares ?? 0n;
    for (const shares of asked) if (shares > reached && shares < refused) refused = shares;
  };
  await search(SMALL.map(partOf));
  const small = reachedBy(best);
  if (small === 0n) return null;
  if (small === partOf(SMALL[0])) await search(LARGE.map(partOf));
  for (let round = 0; round < ROUNDS; round += 1) {
    const low = reachedBy(best);
    await search([1n, 2n, 3n].map((piece) => low + ((refused - low) * piece) / PIECES));
  }
  return best;
}

const reachedBy = (best: PayablePart | null): bigint => best?.shares ?? 0n;
