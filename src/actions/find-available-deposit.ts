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
import { POSSIBLE, refused } from "./possible-action.ts";

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
 * for a reason that may concern it alone, a larger and a smaller one are tried too. A vault that is full by its views is
 * tried as well, because some limit an account to what it holds of the asset. Where no simulation answers, the views
 * decide. Needs one round of simulations, after one of reads unless `facts.payer` was read, and if the amount is
 * refused, another of each.
 */
export async function findAvailableDeposit(
  ctx: Context,
  { vault, user, facts }: { vault: Vault; user: Address; facts: DepositFacts },
): Promise<VaultAction> {
  const seen = depositAction(vault, facts);
  const isFull = seen.code === "above_maximum";
  if (!seen.allowed && !isFull) return seen;
  const { mode } = seen;
  if (isNoWallet(vault, user)) return refused({ code: "not_allowed", reason: NO_WALLET, mode });
  const { amount: judged, maxDeposit } = facts.deposit;
  const least = larger(leastDeposit(vault, facts.deposit), 1n) ?? 1n;
  const wanted = larger(least, judged) ?? judged;
  const amount = isFull ? wanted : (smaller(wanted, maxDeposit) ?? wanted);
  const refusal = await tryDeposit(ctx, { vault, user, amount, ...(amount === judged && { facts }) });
  // How much more than the views' maximum is possible, is unknown.
  if (isFull) return refusal === "accepted" ? { ...POSSIBLE, max: null, mode } : seen;
  if (!isRefused(refusal)) return seen;
  if (MAY_CONCERN_THE_AMOUNT.has(refusal.code)) {
    const more = smaller(amount * LARGE_FACTOR, MAX_UINT256) ?? amount;
    const less = larger(least, amount / LARGE_FACTOR) ?? least;
    const [ofMore, ofLess] = await Promise.all([
      tryDeposit(ctx, { vault, user, amount: more }),
      less < amount ? tryDeposit(ctx, { vault, user, amount: less }) : refusal,
    ]);
    if (!isRefused(ofMore)) return seen;
    // How much less is unknown.
    if (!isRefused(ofLess)) return { ...seen, max: null };
  }
  return refused({ code: refusal.code, reason: refusal.message, mode });
}

const NO_WALLET = "builds refuse this address, which is no wallet: the shares would be lost";

/** Returns true for an address that builds do not take as the user's: one that no wallet has, or the vault or its asset. */
const isNoWallet = ({ address, asset }: Vault, user: Address): boolean =>
  isNativeAlias(user) || sameAddress(user, address) || sameAddress(user, asset.address);

/** What a build makes of a deposit: the error with which it refuses it, or whether a simulation shows that it works. */
type TriedDeposit = AppError | "accepted" | "unknown";

const isRefused = (tried: TriedDeposit): tried is AppError => tried instanceof AppError;

/**
 * Tries a user's deposit of the asset as a build does. `facts` are those of this amount, absent if unread. Errors that are
 * no AppErrors propagate.
 */
async function tryDeposit(
  ctx: Context,
  of: { vault: Vault; user: Address; amount: bigint; facts?: DepositFacts },
): Promise<TriedDeposit> {
  const { facts, ...asked } = of;
  const { vault } = of;
  const client = ctx.chains.client(vault.chainId);
  if (client === null) return "unknown";
  // Only open vaults need what builds need.
  const [{ prepareDirect }, { isRefusal }] = await Promise.all([
    import("../deposits/direct-deposit.ts"),
    import("../withdrawals/choose-exit.ts"),
  ]);
  try {
    const paid = { entry: await depositEntry(ctx, vault), token: vault.asset, slippage: MOST_SLIPPAGE };
    const named = { ref: zeroHash, partnerHash: zeroHash, partnerType: 0 };
    const payer = facts?.payer;
    // What was read for another caller than the one that a build takes says nothing of this deposit.
    const isRead = facts !== undefined && payer !== undefined && payer.via === paid.entry.via;
    const known = isRead ? { terms: facts.deposit, ...payer } : undefined;
    await prepareDirect(ctx, { ...asked, client, ...paid, ...named, known });
    return "accepted";
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return isRefusal(error) ? error : "unknown";
  }
}
