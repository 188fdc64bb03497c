import { type Address, zeroHash } from "viem";
import type { Context } from "../context.ts";
import { AppError, type ErrorCode } from "../errors.ts";
import { isNativeAlias, sameAddress } from "../lib/address.ts";
import { larger, MAX_UINT256, smaller } from "../lib/amount.ts";
import type { VaultAction } from "../schemas/position-schema.ts";
import type { Vault } from "../vaults/vault.ts";
import { depositEntry } from "../vaults/vault-deposit-entry.ts";
import {
  type DepositFacts,
  depositAction,
  LARGE_FACTOR,
  leastDeposit,
  MOST_SLIPPAGE,
} from "./deposit-action.ts";
import { refused } from "./possible-action.ts";

/** Codes with which a vault may refuse one amount but not another. */
const MAY_CONCERN_THE_AMOUNT: ReadonlySet<ErrorCode> = new Set([
  "zero_shares",
  "below_minimum",
  "above_maximum",
  "price_unsafe",
  "would_revert",
]);

/**
 * Returns whether a user can deposit now: what `depositAction` offers, unless a simulation refuses it as a build would,
 * whatever the account holds of the asset. The amount is that of the views, within the vault's limits; if it is refused
 * for a reason that may concern it alone, a larger and a smaller one are tried too. Where no simulation answers, the
 * views decide. Needs one round of reads and one of simulations, and if the amount is refused, another of each.
 */
export async function findAvailableDeposit(
  ctx: Context,
  { vault, user, facts }: { vault: Vault; user: Address; facts: DepositFacts },
): Promise<VaultAction> {
  const seen = depositAction(vault, facts);
  if (!seen.allowed) return seen;
  const { mode } = seen;
  if (isNoWallet(vault, user)) return refused({ code: "not_allowed", reason: NO_WALLET, mode });
  const { amount: judged, maxDeposit } = facts.deposit;
  const least = larger(leastDeposit(vault, facts.deposit), 1n) ?? 1n;
  const wanted = larger(least, judged) ?? judged;
  const amount = smaller(wanted, maxDeposit) ?? wanted;
  const refusal = await refusalOf(ctx, { vault, user, amount });
  if (refusal === null) return seen;
  if (MAY_CONCERN_THE_AMOUNT.has(refusal.code)) {
    const more = smaller(amount * LARGE_FACTOR, MAX_UINT256) ?? amount;
    const less = larger(least, amount / LARGE_FACTOR) ?? least;
    const [ofMore, ofLess] = await Promise.all([
      refusalOf(ctx, { vault, user, amount: more }),
      less < amount ? refusalOf(ctx, { vault, user, amount: less }) : refusal,
    ]);
    if (ofMore === null) return seen;
    // How much less is unknown.
    if (ofLess === null) return { ...seen, max: null };
  }
  return refused({ code: refusal.code, reason: refusal.message, mode });
}

const NO_WALLET = "builds refuse this address, which is no wallet: the shares would be lost";

/** Returns true for an address that builds do not take as the user's: one that no wallet has, or the vault or its asset. */
const isNoWallet = ({ address, asset }: Vault, user: Address): boolean =>
  isNativeAlias(user) || sameAddress(user, address) || sameAddress(user, asset.address);

/**
 * Returns the error with which a build refuses a user's deposit of the asset, or null if it accepts it or does not know.
 * Errors that are no AppErrors propagate.
 */
async function refusalOf(
  ctx: Context,
  of: { vault: Vault; user: Address; amount: bigint },
): Promise<AppError | null> {
  const { vault } = of;
  const client = ctx.chains.client(vault.chainId);
  if (client === null) return null;
  // Only open vaults need what builds need.
  const [{ prepareDirect }, { isRefusal }] = await Promise.all([
    import("../deposits/direct-deposit.ts"),
    import("../withdrawals/choose-exit.ts"),
  ]);
  try {
    const paid = { entry: await depositEntry(ctx, vault), token: vault.asset, slippage: MOST_SLIPPAGE };
    const named = { ref: zeroHash, partnerHash: zeroHash, partnerType: 0 };
    await prepareDirect(ctx, { ...of, client, ...paid, ...named });
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return isRefusal(error) ? error : null;
  }
}
