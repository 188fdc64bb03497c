import type { Address } from "viem";
import type { Context } from "../context.ts";
import type { AppError, ErrorCode } from "../errors.ts";
import { larger } from "../lib/amount.ts";
import type { BlockTime } from "../lib/block-ranges.ts";
import { formatUnixTime } from "../lib/unix-time.ts";
import type { VaultAction } from "../schemas/position-schema.ts";
import type { Token, Vault } from "../vaults/vault.ts";
import type { ExitMode, ExitTerms, PendingExit } from "../vaults/vault-exits.ts";
import { unsupportedExits } from "../withdrawals/withdrawal-order.ts";
import {
  coveredShares,
  findExitRefusal,
  lacksLiquidity,
  limitRefusal,
  mostTelling,
  payableShares,
} from "../withdrawals/withdrawal-refusals.ts";
import type { PayablePart } from "./find-payable-part.ts";
import { POSSIBLE, refused } from "./possible-action.ts";

/**
 * A withdrawal as the views show it. `trials`: numbers of shares whose withdrawal a simulation tries in turn, from the
 * largest on; empty for none. `open`: what the views rule out for all shares at most, not for every amount.
 */
interface SeenWithdrawal {
  action: VaultAction;
  trials: readonly bigint[];
  open: WithdrawalFacts["ways"];
}

/**
 * A user's shares (null if unread), the conditions in each mode of withdrawing all of them in the first token that the
 * vault does not refuse, and a note about rewards that the family pays elsewhere. `requests`: the user's open redemption
 * requests, null if they could not be read.
 */
export interface WithdrawalFacts {
  shares: bigint | null;
  requests: readonly PendingExit[] | null;
  ways: readonly { mode: ExitMode; token: Token; terms: ExitTerms }[];
  rewards: string | null;
}

/** Returns how many shares a user holds, with those that the vault's calls would claim first; 0 if none could be read. */
export const mostHeld = ({ shares, ways }: Pick<WithdrawalFacts, "shares" | "ways">): bigint =>
  ways.reduce((most, { terms }) => larger(most, terms.heldShares) ?? most, shares ?? 0n);

/**
 * Returns whether a user can withdraw from a vault now, with the largest number of shares that a simulation allows; if
 * only some can be paid, the value of two smallest units of the asset may be missing, or 0.1%, and if the views do not
 * show how many, 2%. Where the vault pays all, that takes one simulation; otherwise up to four in turn, then those of
 * `findPayablePart`, and if that finds nothing for lack of liquidity, those of `findOtherToken`. Errors of the RPC nodes
 * propagate.
 */
export async function findAvailableWithdrawal(
  ctx: Context,
  of: { vault: Vault; user: Address; facts: WithdrawalFacts; block: BlockTime },
): Promise<VaultAction> {
  const { vault, user } = of;
  const action = await tried(ctx, { vault, user, ways: of.facts.ways, seen: seenWithdrawal(vault, of) });
  return withRewards(action, of.facts.rewards);
}

/** Adds the note about rewards to a withdrawal that is possible, or to the end of one that took all shares before. */
function withRewards(action: VaultAction, rewards: string | null): VaultAction {
  if (rewards === null || !(action.allowed || action.code === "nothing_to_withdraw")) return action;
  return { ...action, reason: action.reason === "" ? rewards : `${action.reason}. ${rewards}` };
}

function seenWithdrawal(
  vault: Vault,
  { facts, block }: { facts: WithdrawalFacts; block: BlockTime },
): SeenWithdrawal {
  const [first] = facts.ways;
  if (first === undefined) {
    const reason = unsupportedExits(vault);
    return { action: refused({ code: "mode_unsupported", reason }), ...NO_TRIALS };
  }
  const held = mostHeld(facts);
  const isUnread = facts.shares === null && facts.ways.every(({ terms }) => terms.heldShares === null);
  if (held === 0n && isUnread) {
    const reason = `the account's shares of ${vault.name} could not be read`;
    return { action: refused({ code: "upstream_unavailable", reason, mode: first.mode }), ...NO_TRIALS };
  }
  if (held === 0n) {
    const reason = `the account holds no shares of ${vault.name}`;
    const action = refused({ code: "nothing_to_withdraw", reason, max: "0", mode: first.mode });
    return { action, ...NO_TRIALS };
  }
  const judged = facts.ways.map((way) => ({
    way,
    refusal: exitRefusal(vault, { way, shares: held, block }),
  }));
  // A limit of zero is only a hint, and does not show the vault's own reason.
  const open = judged
    .filter(({ refusal, way }) => refusal === null || lacksSome(refusal) || hasZeroLimit(way.terms))
    .map(({ way }) => way);
  const possible = judged
    .filter(({ refusal }) => refusal === null)
    .map(({ way }) => ({ way, max: coveredShares({ way, shares: held }) }))
    .sort((a, b) => Number(b.max > a.max) - Number(b.max < a.max));
  const [most] = possible;
  if (most !== undefined) {
    const action = { ...POSSIBLE, max: most.max.toString(), mode: most.way.mode };
    const limits = possible.flatMap(({ way, max }) => [payableShares({ way, shares: held }), max]);
    return { action, trials: toTrials([held, ...limits]), open };
  }
  const { refusal, way } = mostTelling(judged) ?? { refusal: null, way: first };
  const action = refused({
    code: refusal?.code ?? "would_revert",
    reason: refusal?.message ?? "",
    max: nothingPayable(refusal),
    mode: way.mode,
    until: refusal === null ? null : refusedUntil(refusal, { facts, terms: way.terms, block }),
  });
  return { action, trials: open.length > 0 ? [held] : [], open };
}

const NO_TRIALS = { trials: [], open: [] } as const;

/**
 * Codes with which a vault may refuse all shares but not a part of them. A borrower's collateral, for one, is
 * `not_allowed` to leave beyond what the loan needs, and some tokens revert without a reason for lack of a balance.
 */
const MAY_CONCERN_THE_AMOUNT: ReadonlySet<ErrorCode> = new Set([
  "no_liquidity",
  "not_allowed",
  "would_revert",
]);

/** Returns true if a vault that refuses shares for this reason may pay fewer of them. */
const dependsOnAmount = (refusal: AppError): boolean =>
  MAY_CONCERN_THE_AMOUNT.has(refusal.code) && refusal.members["available"] !== "0";

/** Returns true if the vault lacks liquidity for all shares but, as far as its views tell, may pay some of them. */
const lacksSome = (refusal: AppError): boolean => refusal.code === "no_liquidity" && dependsOnAmount(refusal);

/**
 * Returns the time at which a refusal may end, if it lies ahead and is known: the end of a cooldown or a lock, or when
 * the open request that excludes another one is paid at the earliest. A lock's end says nothing of another reason.
 */
function refusedUntil(
  { code, members }: AppError,
  of: { facts: WithdrawalFacts; terms: ExitTerms; block: BlockTime },
): string | null {
  if (typeof members["until"] === "string") return members["until"];
  const { facts, terms, block } = of;
  const times = code === "share_locked" ? [terms.lockedUntil] : [];
  const open = (facts.requests ?? []).map(({ earliest }) => earliest);
  const ahead = (code === "request_pending" ? open : times)
    .flatMap((time) => time ?? [])
    .filter((time) => time > block.timestamp);
  return ahead.length === 0 ? null : formatUnixTime(Math.min(...ahead));
}

/**
 * Returns the numbers of shares to try, from the largest on. The last is 99.9% of the one before: until the simulated
 * block, interest makes shares more expensive to pay than the views say, and some vaults round their limit up.
 */
function toTrials(limits: readonly bigint[]): bigint[] {
  const known = [...new Set(limits)]
    .filter((limit) => limit > 0n)
    .sort((a, b) => Number(b > a) - Number(b < a));
  const nearly = ((known.at(-1) ?? 0n) * NEARLY_ALL) / 1_000n;
  return nearly === 0n ? known : [...known, nearly];
}

/** Part of the smallest known limit that is tried after all others have failed, in parts per thousand. */
const NEARLY_ALL = 999n;

/** Returns "0" for a refusal because the vault can pay nothing; null if how much it can pay is unknown. */
const nothingPayable = (refusal: AppError | null | undefined): "0" | null =>
  refusal?.code === "no_liquidity" && refusal.members["available"] === "0" ? "0" : null;

const hasZeroLimit = ({ paused, refusal, maxShares, availableAssets }: ExitTerms): boolean =>
  !paused && refusal === null && (maxShares === 0n || availableAssets === 0n);

/**
 * Returns a withdrawal as simulations show it: that of the largest number of shares that succeeds, otherwise of what
 * `findPayablePart` or `findOtherToken` finds, otherwise refused for the reason of the first, or for one that concerns
 * every amount.
 * Without trials or their result, returns the views' action.
 */
async function tried(
  ctx: Context,
  of: { vault: Vault; user: Address; ways: WithdrawalFacts["ways"]; seen: SeenWithdrawal },
): Promise<VaultAction> {
  const { vault, user } = of;
  const { action, trials, open } = of.seen;
  if (trials.length === 0) return action;
  // Only holders need what builds need: providers with all their schemas.
  const [{ tryWithdrawal }, { findPayablePart }, { findOtherToken, isShort }] = await Promise.all([
    import("../withdrawals/prepare-withdrawal.ts"),
    import("./find-payable-part.ts"),
    import("./find-other-token.ts"),
  ]);
  let first: AppError | null = null;
  let own: AppError | null = null;
  let last: ReadonlyMap<ExitMode, AppError> = new Map();
  for (const shares of trials) {
    const seen = await tryWithdrawal(ctx, { vault, user, shares });
    if (seen === null) return action;
    if ("mode" in seen) return { ...POSSIBLE, max: shares.toString(), mode: seen.mode };
    if (first !== null && WHATEVER_THE_AMOUNT.has(seen.refusal.code)) own = seen.refusal;
    first ??= seen.refusal;
    last = seen.refusals;
  }
  const [held = 0n] = trials;
  const some = open.filter(({ mode }) => isPartial(last.get(mode)));
  const least = some.map(({ terms }) => terms.minShares || 1n).reduce((a, b) => (a < b ? a : b), held);
  const search = { vault, user, held, below: trials.at(-1) ?? held, least };
  const part = some.length === 0 ? null : await findPayablePart(ctx, search);
  if (part !== null) return { ...POSSIBLE, reason: AT_LEAST, max: part.shares.toString(), mode: part.mode };
  const dry = of.ways
    .filter(({ mode }) => isShort(last.get(mode)))
    .map(({ mode, token, terms }) => ({ mode, token, least: terms.minShares || 1n }));
  const other = dry.length === 0 ? null : await findOtherToken(ctx, { vault, user, held, dry });
  if (other !== null) return inOtherToken(other, { held });
  // Where views lack liquidity for all shares, an unknown revert counts as that, also one that concerns every amount.
  if (first?.code === "no_liquidity" && own !== null) first = own;
  const until = first?.members["until"];
  const ends = first?.code === action.code ? action.until : null;
  return refused({
    ...{ code: first?.code ?? "would_revert", reason: first?.message ?? "", max: nothingPayable(first) },
    ...{ mode: action.mode, until: typeof until === "string" ? until : ends },
  });
}

/** Returns true if simulations refused a mode for a reason that a smaller amount may avoid. */
const isPartial = (refusal: AppError | undefined): boolean =>
  refusal !== undefined && dependsOnAmount(refusal);

/** Codes of refusals that tell more than a lack of liquidity, if no smaller amount avoids them. */
const WHATEVER_THE_AMOUNT: ReadonlySet<ErrorCode> = new Set(["would_revert", "not_allowed", "exits_paused"]);

const AT_LEAST = "these shares can leave now, but not all; a few more may be possible";

/** Returns the withdrawal in another token than the vault is first asked for, which its note names. */
function inOtherToken({ shares, mode, token }: PayablePart, { held }: { held: bigint }): VaultAction {
  const only = `the vault pays this only in ${token.symbol}: send to_token ${token.address}`;
  const reason = shares < held ? `${only}; ${AT_LEAST}` : only;
  return { ...POSSIBLE, reason, max: shares.toString(), mode };
}

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
