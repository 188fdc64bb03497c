import { DAY_S } from "../../lib/durations.ts";
import type { Tier } from "../../schemas/signal-schema.ts";
import { isNegligible } from "../negligible-signal-amount.ts";
import { latestPoint, type Point, type VaultFacts } from "../signal-facts.ts";
import {
  countOf,
  fixed,
  fractionOf,
  medianAndMad,
  percent,
  type SignalRule,
  tierOf,
  wholeAmount,
} from "../signal-finding.ts";

/** Two consecutive snapshots of a vault between which a condition changed. */
interface SnapshotChange {
  before: Point;
  after: Point;
}

/**
 * Returns the newest pair of snapshots of the last two hours between which a condition became true, or null if there is
 * none.
 */
function findTurn(facts: VaultFacts, holds: (point: Point) => boolean | null): SnapshotChange | null {
  for (let index = facts.recent.length - 1; index > 0; index -= 1) {
    const [before, after] = [facts.recent[index - 1], facts.recent[index]];
    if (before !== undefined && after !== undefined && holds(before) === false && holds(after) === true)
      return { before, after };
  }
  return null;
}

/** Returns the fields of a finding that come from one snapshot. Its key is the block number. */
const atSnapshot = ({ seconds, blockNumber }: Point) => ({
  subject: "",
  metrics: [],
  keys: [`${blockNumber}`],
  seconds,
  ongoing: false,
  txHash: null,
  blockNumber,
});

/** Creates a rule that reports a condition that became true between two snapshots. */
function turnRule(rule: {
  id: string;
  title: string;
  tier: Tier;
  reason: string;
  description: string;
  /** The part of the signal's title after the vault's name. */
  headline: string;
  summary: (facts: VaultFacts, change: SnapshotChange) => string;
  holds: (point: Point) => boolean | null;
}): SignalRule {
  return {
    rule_id: rule.id,
    dimension: "risk",
    title: rule.title,
    description: rule.description,
    tiers: [{ tier: rule.tier, threshold: "Any such change", reason: rule.reason }],
    needs:
      "Two consecutive snapshots within two hours that contain the value (capacity: with deposits not paused).",
    quietSeconds: 0,
    find(facts) {
      const change = findTurn(facts, rule.holds);
      if (change === null) return [];
      const evidence = {
        before_block: `${change.before.blockNumber}`,
        after_block: `${change.after.blockNumber}`,
      };
      return [
        {
          ...atSnapshot(change.after),
          // A later snapshot of the same five minutes may replace the one after the change: it is the same change.
          keys: [`${change.before.blockNumber}`],
          tier: rule.tier,
          title: `${facts.vaultName}: ${rule.headline}`,
          summary: rule.summary(facts, change),
          evidence,
        },
      ];
    },
  };
}

/** Formats the time between two snapshots in minutes. */
const intervalOf = ({ before, after }: SnapshotChange): string =>
  countOf(Math.max(1, Math.round((after.seconds - before.seconds) / 60)), "minute");

const wholeOf = (facts: VaultFacts, amount: bigint): string =>
  `${wholeAmount(amount, facts.assetDecimals)} ${facts.assetSymbol}`;

const totalText = (facts: VaultFacts, { totalAssets }: Point): string =>
  totalAssets === null
    ? "The vault's total assets are unknown."
    : `The vault holds ${wholeOf(facts, totalAssets)}.`;

/** Capacity that counts as unlimited, in the asset's smallest unit: Euler's without a cap is just below 2^112. */
const NO_LIMIT = 2n ** 111n;
const isUnlimited = ({ maxDeposit }: Point): boolean => maxDeposit === null || maxDeposit >= NO_LIMIT;

const capacityOf = (facts: VaultFacts, { maxDeposit }: Point): string => wholeOf(facts, maxDeposit ?? 0n);

/**
 * Reports that deposits are paused in a snapshot of the last two hours and were not in the one before (see
 * `Point.paused`); of several times, the newest.
 */
export const paused = turnRule({
  id: "paused",
  title: "Deposits paused or closed",
  tier: "high",
  reason:
    "These deposits fail or are not settled, withdrawals often fail too, and a pause may follow an incident",
  description:
    "Deposits of the vault's asset are paused or closed; in the previous snapshot, as far as known, they were not. Other assets or queues may be open.",
  headline: "deposits of its asset paused or closed",
  summary: (facts, change) =>
    `Deposits of ${facts.assetSymbol} into ${facts.vaultName} are paused or closed; ${intervalOf(change)} earlier, as far as known, they were not. ` +
    `${totalText(facts, change.after)} Find out why, and whether withdrawals still work.`,
  holds: (point) => point.paused,
});

/**
 * Reports that deposits are not paused in a snapshot of the last two hours (see `Point.paused`) and were in the one
 * before; of several times, the newest.
 */
export const unpaused = turnRule({
  id: "unpaused",
  title: "Deposits no longer paused or closed",
  tier: "medium",
  reason: "Deposits may work again; the cause of the stop may remain",
  description:
    "Deposits of the vault's asset are no longer paused or closed; in the previous snapshot, as far as known, they were.",
  headline: "deposits of its asset no longer paused or closed",
  summary: (facts, change) =>
    `Deposits of ${facts.assetSymbol} into ${facts.vaultName} are no longer paused or closed; ${intervalOf(change)} earlier, as far as known, they were. ` +
    `${totalText(facts, change.after)} Find out why they were, and what has changed since, before you deposit.`,
  holds: (point) => !point.paused,
});

/**
 * Returns true if the remaining deposit capacity is zero, or null if deposits are paused or the capacity is unknown.
 */
const isFull = (point: Point): boolean | null =>
  point.paused || point.maxDeposit === null ? null : point.maxDeposit === 0n;

/**
 * Reports that a vault's remaining deposit capacity dropped to zero between two consecutive snapshots of the last two
 * hours, in both of which deposits were not paused and the capacity was known.
 */
export const capacityExhausted = turnRule({
  id: "capacity_exhausted",
  title: "No deposit capacity left",
  tier: "medium",
  reason:
    "Deposits fail, usually until the cap is raised, holders withdraw or a daily limit resets; a limit of zero can also mean that deposits are frozen",
  description: "The largest possible deposit is zero; in the previous snapshot it was above zero.",
  headline: "no deposit capacity left",
  summary: (facts, change) =>
    `The largest possible deposit of ${facts.assetSymbol} into ${facts.vaultName} is zero; ${intervalOf(change)} earlier it was ` +
    `${isUnlimited(change.before) ? "unlimited" : capacityOf(facts, change.before)}. ` +
    `${totalText(facts, change.after)} Usually a cap or daily limit is reached, and deposits fail until it is raised or reset, or holders withdraw; ` +
    "check that the vault or its market is not frozen or limited to listed accounts.",
  holds: isFull,
});

/**
 * Reports that a vault's remaining deposit capacity rose above zero between two consecutive snapshots of the last two
 * hours, in both of which deposits were not paused and the capacity was known.
 */
export const capacityOpened = turnRule({
  id: "capacity_opened",
  title: "Deposit capacity available",
  tier: "medium",
  reason: "Deposits may work again; a limited capacity is often used up quickly",
  description: "The largest possible deposit is above zero; in the previous snapshot it was zero.",
  headline: "deposit capacity available",
  summary: (facts, change) =>
    `The largest possible deposit of ${facts.assetSymbol} into ${facts.vaultName} is ` +
    `${isUnlimited(change.after) ? "unlimited" : capacityOf(facts, change.after)}; ` +
    `${intervalOf(change)} earlier it was zero. ${totalText(facts, change.after)}` +
    `${isUnlimited(change.after) ? "" : " Any room under a cap is often used up quickly."}`,
  holds: (point) => {
    const full = isFull(point);
    return full === null ? null : !full;
  },
});

type ThinTier = Exclude<Tier, "low">;
const THIN: readonly (readonly [ThinTier, number])[] = [
  ["high", 0.99],
  ["medium", 0.95],
];
const THIN_REASONS: Readonly<Record<ThinTier, string>> = {
  high: "Almost nothing can be withdrawn immediately, unless the limit is that holder's own; in a run on the vault the last holders wait longest",
  medium: "Larger withdrawals may have to wait; in a run on the vault the last holders wait longest",
};
/** The rule needs more hourly snapshots than this. */
const MIN_BASELINE_HOURS = 12;

/**
 * Reports that the largest known shareholder cannot redeem all of its shares at once, only at most 5% of the vault's
 * assets, while the median over the earlier hourly snapshots was above 10%; a snapshot without a known limit counts as
 * 100%. Vaults with negligible assets or at most 12 hourly snapshots are ignored.
 */
export const liquidityThin: SignalRule = {
  rule_id: "liquidity_thin",
  dimension: "risk",
  title: "Low withdrawal liquidity",
  description:
    "The amount that the vault's largest known holder can withdraw immediately, as a fraction of total assets. The rule " +
    "applies only while the vault's maxRedeem for that holder is more than 0.1% below the holder's balance.",
  tiers: THIN.map(([tier, most]) => ({
    tier,
    threshold: `At most ${Math.round((1 - most) * 100)}% of total assets`,
    reason: THIN_REASONS[tier],
  })),
  needs:
    `More than ${MIN_BASELINE_HOURS} hourly snapshots of the last week, with a median of the withdrawable amount above 10% of total ` +
    "assets, so a signal ends within about half a week even if liquidity stays low. A snapshot without a known limit counts as 100%. The limit is read only " +
    "for MetaMorpho and generic ERC-4626 vaults (not Aave, Euler or Morpho V2) whose withdrawals are all instant. Vaults with " +
    "negligible total assets (see net_outflow) are left out.",
  quietSeconds: DAY_S,
  find(facts) {
    const latest = latestPoint(facts);
    if (latest === null || latest.liquidity === null || latest.totalAssets === null) return [];
    const baseline = medianAndMad(facts.hours.slice(0, -1).map(liquidShare));
    const share = fractionOf(latest.liquidity, latest.totalAssets);
    const tier = share === null ? null : tierOf(1 - share, THIN);
    if (share === null || tier === null || baseline === null || facts.hours.length <= MIN_BASELINE_HOURS)
      return [];
    // One holder can empty a vault of a negligible size, and some vaults never have much liquidity.
    if (baseline.median <= 0.1 || isNegligible(facts, latest.totalAssets)) return [];
    const amount = wholeOf(facts, latest.liquidity);
    return [
      {
        ...atSnapshot(latest),
        tier,
        title: `${facts.vaultName}: largest known holder can withdraw only ${amount} immediately`,
        summary:
          `The largest known holder of ${facts.vaultName} can withdraw at most ${amount} immediately, ${percent(share)} of the ` +
          `${wholeOf(facts, latest.totalAssets)} that the vault holds. The median of the ${facts.hours.length - 1} ` +
          `earlier hourly snapshots was ${percent(baseline.median)}; a snapshot without a known limit counts as 100%. Larger ` +
          "withdrawals may have to wait, usually until borrowers repay or positions are unwound; check whether withdrawals " +
          "are paused.",
        metrics: [
          {
            label: "withdrawable",
            value: latest.liquidity.toString(),
            unit: facts.assetSymbol,
            change: fixed(share - baseline.median),
          },
        ],
        evidence: { total_assets: latest.totalAssets.toString(), usual_share: fixed(baseline.median) },
        keys: [tier],
        ongoing: true,
      },
    ];
  },
};

/**
 * Returns the fraction of total assets that could be withdrawn immediately, or 1 if nothing limited the largest holder
 * or the limit or the total is unknown.
 */
const liquidShare = ({ liquidity, totalAssets }: Point): number =>
  liquidity === null || totalAssets === null ? 1 : (fractionOf(liquidity, totalAssets) ?? 1);
