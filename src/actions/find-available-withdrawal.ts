import type { Address } from "viem";
import type { Context } from "../context.ts";
import type { AppError, ErrorCode } from "../errors.ts";
import { larger } from "../lib/amount.ts";
import type { BlockTime } from "../lib/block-ranges.ts";
import { formatUnixTime } from "../lib/unix-time.ts";
import type { VaultAction } from "../schemas/position-schema.ts";
import type { Vault } from "../vaults/vault.ts";
import type { ExitMode, ExitTerms } from "../vaults/vault-exits.ts";
import {
  coveredShares,
  findExitRefusal,
  lacksLiquidity,
  limitRefusal,
  mostTelling,
  payableShares,
} from "../withdrawals/withdrawal-refusals.ts";
import { POSSIBLE, refused } from "./possible-action.ts";

/**
 * A withdrawal as the views show it. `trials`: numbers of shares whose withdrawal a simulation tries in turn, from the
 * largest on; empty for none.
 */
interface SeenWithdrawal {
  action: VaultAction;
  trials: readonly bigint[];
}

/** A user's shares (null if unread), the conditions in each mode of withdrawing all of them, and a note if possible. */
export interface WithdrawalFacts {
  shares: bigint | null;
  ways: readonly { mode: ExitMode; terms: ExitTerms }[];
  rewards: string | null;
}

/** Returns how many shares a user holds, with those that the vault's calls would claim first; 0 if none could be read. */
export const mostHeld = ({ shares, ways }: Pick<WithdrawalFacts, "shares" | "ways">): bigint =>
  ways.reduce((most, { terms }) => larger(most, terms.heldShares) ?? most, shares ?? 0n);

/**
 * Returns whether a user can withdraw from a vault now, with the largest number of shares that a simulation allows; if
 * only some can be paid, the value of two smallest units of the asset may be missing, or 1%, and if the views do not
 * show how many, the number is only a lower bound. Errors of the RPC nodes propagate.
 */
export function findAvailableWithdrawal(
  ctx: Context,
  of: { vault: Vault; user: Address; facts: WithdrawalFacts; block: BlockTime },
): Promise<VaultAction> {
  const { vault, user } = of;
  return tried(ctx, { vault, user, seen: seenWithdrawal(vault, of) });
}

function seenWithdrawal(
  vault: Vault,
  { facts, block }: { facts: WithdrawalFacts; block: BlockTime },
): SeenWithdrawal {
  const [first] = facts.ways;
  if (first === undefined) {
    const reason = `withdrawals from ${vault.name} are not supported by this service: use the protocol's own site`;
    return { action: refused({ code: "mode_unsupported", reason }), trials: [] };
  }
  const held = mostHeld(facts);
  const isUnread = facts.shares === null && facts.ways.every(({ terms }) => terms.heldShares === null);
  if (held === 0n && isUnread) {
    const reason = `the account's shares of ${vault.name} could not be read`;
    return { action: refused({ code: "upstream_unavailable", reason, mode: first.mode }), trials: [] };
  }
  if (held === 0n) {
    const reason = `the account holds no shares of ${vault.name}`;
    const action = refused({ code: "nothing_to_withdraw", reason, max: "0", mode: first.mode });
    return { action, trials: [] };
  }
  const judged = facts.ways.map((way) => ({
    way,
    refusal: exitRefusal(vault, { way, shares: held, block }),
  }));
  const possible = judged
    .filter(({ refusal }) => refusal === null)
    .map(({ way }) => ({ way, max: coveredShares({ way, shares: held }) }))
    .sort((a, b) => Number(b.max > a.max) - Number(b.max < a.max));
  const [most] = possible;
  if (most !== undefined) {
    const action = {
      ...{ ...POSSIBLE, max: most.max.toString() },
      ...{ mode: most.way.mode, reason: facts.rewards ?? "" },
    };
    const limits = possible.flatMap(({ way, max }) => [payableShares({ way, shares: held }), max]);
    return { action, trials: toTrials([held, ...limits]) };
  }
  const { refusal, way } = mostTelling(judged) ?? { refusal: null, way: first };
  const until = refusal?.members["until"] ?? formatUnixTime(way.terms.lockedUntil);
  const action = refused({
    code: refusal?.code ?? "would_revert",
    reason: refusal?.message ?? "",
    max: nothingPayable(refusal),
    mode: way.mode,
    until: typeof until === "string" ? until : null,
  });
  // A limit of zero is only a hint, and does not show the vault's own reason.
  return { action, trials: judged.some(({ way }) => hasZeroLimit(way.terms)) ? [held] : [] };
}

/**
 * Returns the numbers of shares to try, from the largest on. The last is 99% of the one before: the liquidity may have
 * changed since the views were read, and some vaults round their limit up.
 */
function toTrials(limits: readonly bigint[]): bigint[] {
  const known = [...new Set(limits)]
    .filter((limit) => limit > 0n)
    .sort((a, b) => Number(b > a) - Number(b < a));
  const nearly = ((known.at(-1) ?? 0n) * NEARLY_ALL) / 100n;
  return nearly === 0n ? known : [...known, nearly];
}

/** Percentages of the shares that are tried, all at once, if the vault lacks liquidity and no view shows how much. */
const PARTS = [75n, 50n, 25n, 10n, 1n] as const;

/** Percentage of the smallest known limit that is tried after all others have failed. */
const NEARLY_ALL = 99n;

/** Returns "0" for a refusal because the vault can pay nothing; null if how much it can pay is unknown. */
const nothingPayable = (refusal: AppError | null | undefined): "0" | null =>
  refusal?.code === "no_liquidity" && refusal.members["available"] === "0" ? "0" : null;

const hasZeroLimit = ({ paused, refusal, maxShares, availableAssets }: ExitTerms): boolean =>
  !paused && refusal === null && (maxShares === 0n || availableAssets === 0n);

/**
 * Returns a withdrawal as simulations show it: that of the largest number of shares that succeeds, or refused for the
 * reason of the first, or for one that concerns every amount. If that is a lack of unknown liquidity, the largest of
 * `PARTS` that succeeds, a lower bound. Without trials or their result, returns the views' action.
 */
async function tried(
  ctx: Context,
  of: { vault: Vault; user: Address; seen: SeenWithdrawal },
): Promise<VaultAction> {
  const { vault, user } = of;
  const { action, trials } = of.seen;
  if (trials.length === 0) return action;
  // Only holders need what builds need: providers with all their schemas.
  const { tryWithdrawal } = await import("../withdrawals/prepare-withdrawal.ts");
  let first: AppError | null = null;
  let own: AppError | null = null;
  for (const shares of trials) {
    const seen = await tryWithdrawal(ctx, { vault, user, shares });
    if (seen === null) return action;
    if ("mode" in seen) {
      const reason = action.allowed ? action.reason : "";
      return { ...POSSIBLE, reason, max: shares.toString(), mode: seen.mode };
    }
    if (first !== null && WHATEVER_THE_AMOUNT.has(seen.refusal.code)) own = seen.refusal;
    first ??= seen.refusal;
  }
  // Where views lack liquidity for all shares, an unknown revert counts as that, also one that concerns every amount.
  if (first?.code === "no_liquidity" && own !== null) first = own;
  const [held = 0n] = trials;
  const unknown = first?.code === "no_liquidity" && first.members["available"] === null;
  const parts = unknown ? PARTS.map((part) => (held * part) / 100n).filter((part) => part > 0n) : [];
  const tries = await Promise.all(parts.map((shares) => tryWithdrawal(ctx, { vault, user, shares })));
  for (const [index, seen] of tries.entries()) {
    const max = String(parts[index]);
    if (seen !== null && "mode" in seen) return { ...POSSIBLE, reason: AT_LEAST, max, mode: seen.mode };
  }
  const until = first?.members["until"];
  return refused({
    ...{ code: first?.code ?? "would_revert", reason: first?.message ?? "", max: nothingPayable(first) },
    ...{ mode: action.mode, until: typeof until === "string" ? until : null },
  });
}

/** Codes of refusals that a smaller amount does not avoid. */
const WHATEVER_THE_AMOUNT: ReadonlySet<ErrorCode> = new Set(["would_revert", "not_allowed", "exits_paused"]);

const AT_LEAST = "the vault can pay for these shares, but not for all; more may be possible";

/**
 * Returns the reason why a vault rejects a withdrawal in this mode, or null. One whose liquidity or capacity covers
 * only some of the shares accepts it, unless it covers less than the smallest withdrawal.
 */
function exitRefusal(
  vault: Vault,
  of: { way: WithdrawalFacts["ways"][number]; shares: bigint; block: BlockTime },
): AppError | null {
  const { way, shares, block } = of;
  const asked = { order: { vault }, way, shares };
  const refusal = findExitRefusal({ ...asked, facts: { block } });
  const { maxShares, minShares, availableAssets } = way.terms;
  const least = minShares || 1n;
  const instant = way.mode === "instant";
  const payable = (maxShares ?? least) >= least && (!instant || (availableAssets ?? 1n) > 0n);
  // A preview of all shares that fails for lack of liquidity says nothing about the part that `maxRedeem` allows.
  const partly = refusal?.code === "no_liquidity" && maxShares !== null && payable;
  if (refusal !== null && !partly) return refusal;
  return payable || (instant && !lacksLiquidity(asked)) ? null : limitRefusal(asked);
}
