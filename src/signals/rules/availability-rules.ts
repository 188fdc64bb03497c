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

/** A change from one snapshot to the next. */
interface SnapshotChange {
  before: Point;
  after: Point;
}

/** Returns the newest change of a condition from false to true in the last two hours, or null. */
function findTurn(facts: VaultFacts, holds: (point: Point) => boolean | null): SnapshotChange | null {
  for (let index = facts.recent.length - 1; index > 0; index -= 1) {
    const [before, after] = [facts.recent[index - 1], facts.recent[index]];
    if (before !== undefined && after !== undefined && holds(before) === false && holds(after) === true)
      return { before, after };
  }
  return null;
}

/** The fields of a finding that come from one snapshot. The block is the key: a change counts once. */
const atSnapshot = ({ seconds, blockNumber }: Point) => ({
  subject: "",
  metrics: [],
  keys: [`${blockNumber}`],
  seconds,
  ongoing: false,
  txHash: null,
  blockNumber,
});

/** Defines a rule that fires when a condition turns from false to true between two snapshots. */
function turnRule(rule: {
  id: string;
  title: string;
  tier: Tier;
  reason: string;
  description: string;
  /** The signal's title after the vault's name. */
  headline: string;
  summary: (facts: VaultFacts, change: SnapshotChange) => string;
  holds: (point: Point) => boolean | null;
}): SignalRule {
  return {
    rule_id: rule.id,
    dimension: "risk",
    title: rule.title,
    description: rule.description,
    tiers: [{ tier: rule.tier, threshold: "The change itself", reason: rule.reason }],
    needs: "Two snapshots within two hours.",
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
          tier: rule.tier,
          title: `${facts.vaultName}: ${rule.headline}`,
          summary: rule.summary(facts, change),
          evidence,
        },
      ];
    },
  };
}

/** Formats the time between two snapshots. */
const intervalOf = ({ before, after }: SnapshotChange): string =>
  countOf(Math.max(1, Math.round((after.seconds - before.seconds) / 60)), "minute");

const wholeOf = (facts: VaultFacts, amount: bigint): string =>
  `${wholeAmount(amount, facts.assetDecimals)} ${facts.assetSymbol}`;

const totalText = (facts: VaultFacts, { totalAssets }: Point): string =>
  totalAssets === null ? "Its total assets are unknown." : `The vault holds ${wholeOf(facts, totalAssets)}.`;

/** Vaults without a deposit limit report a value above this one. */
const NO_LIMIT = 2n ** 127n;
const isUnlimited = ({ maxDeposit }: Point): boolean => maxDeposit === null || maxDeposit >= NO_LIMIT;

/** The vault's own contract pauses deposits. */
export const paused = turnRule({
  id: "paused",
  title: "Vault paused",
  tier: "high",
  reason: "Deposits fail, withdrawals often fail too, and a pause may follow an incident",
  description: "The vault's contract refuses deposits, and accepted them in the snapshot before.",
  headline: "deposits paused",
  summary: (facts, change) =>
    `Deposits into ${facts.vaultName} are paused; ${intervalOf(change)} earlier they were open. ` +
    `${totalText(facts, change.after)} Find out why they were paused, and whether withdrawals still work.`,
  holds: (point) => point.paused,
});

/** The vault's own contract lifts the pause of deposits. */
export const unpaused = turnRule({
  id: "unpaused",
  title: "Pause lifted",
  tier: "medium",
  reason: "Deposits work again; the cause of the pause may remain",
  description: "The vault's contract accepts deposits, and refused them in the snapshot before.",
  headline: "deposits open again after a pause",
  summary: (facts, change) =>
    `Deposits into ${facts.vaultName} are open again; ${intervalOf(change)} earlier they were paused. ` +
    `${totalText(facts, change.after)} Find out why it was paused, and what has changed since, before you deposit.`,
  holds: (point) => !point.paused,
});

/** Returns true when the deposit limit is zero. Null while the vault is paused or its limit is unknown. */
const isFull = (point: Point): boolean | null =>
  point.paused || point.maxDeposit === null ? null : point.maxDeposit === 0n;

/** The vault's deposit limit falls to zero. */
export const capacityExhausted = turnRule({
  id: "capacity_exhausted",
  title: "Deposit cap reached",
  tier: "medium",
  reason: "Deposits fail until the cap is raised or holders withdraw",
  description: "The vault's deposit limit is zero, and was above zero in the snapshot before.",
  headline: "deposit cap reached",
  summary: (facts, change) =>
    `${facts.vaultName} accepts no more deposits: its deposit limit is zero, and ${intervalOf(change)} earlier it was ` +
    `${isUnlimited(change.before) ? "unlimited" : wholeOf(facts, change.before.maxDeposit ?? 0n)}. ` +
    `${totalText(facts, change.after)} Deposits fail until the cap is raised or holders withdraw.`,
  holds: isFull,
});

/** The vault's deposit limit rises above zero. */
export const capacityOpened = turnRule({
  id: "capacity_opened",
  title: "Deposit capacity available",
  tier: "medium",
  reason: "Deposits that failed work again, often for a short time",
  description: "The vault's deposit limit is above zero, and was zero in the snapshot before.",
  headline: "deposit capacity available again",
  summary: (facts, change) =>
    `${facts.vaultName} accepts deposits ` +
    `${isUnlimited(change.after) ? "of any size" : `of up to ${wholeOf(facts, change.after.maxDeposit ?? 0n)}`} again; ` +
    `${intervalOf(change)} earlier its deposit limit was zero. ${totalText(facts, change.after)} Such capacity is often ` +
    "used up quickly.",
  holds: (point) => {
    const full = isFull(point);
    return full === null ? null : !full;
  },
});

const THIN: readonly (readonly [Tier, number])[] = [
  ["high", 0.99],
  ["medium", 0.95],
];
/** Hourly snapshots that the rule needs. */
const MIN_BASELINE_HOURS = 12;

/** Only a small part of the vault can be withdrawn immediately, and more of it could before. */
export const liquidityThin: SignalRule = {
  rule_id: "liquidity_thin",
  dimension: "risk",
  title: "Low withdrawal liquidity",
  description:
    "The amount that the largest known holder can withdraw immediately, when it is less than its balance, as a fraction of total assets.",
  tiers: THIN.map(([tier, most]) => ({
    tier,
    threshold: `At most ${Math.round((1 - most) * 100)}% of total assets`,
    reason: "Further withdrawals have to wait; in a run on the vault the last holders wait longest",
  })),
  needs: `More than ${MIN_BASELINE_HOURS} hourly snapshots, in which the median was above 10% of total assets.`,
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
        title: `${facts.vaultName}: only ${amount} can be withdrawn immediately`,
        summary:
          `At most ${amount} can be withdrawn from ${facts.vaultName} immediately, ${percent(share)} of the ` +
          `${wholeOf(facts, latest.totalAssets)} it holds; the median of the last ${facts.hours.length - 1} hours was ` +
          `${percent(baseline.median)}. Larger withdrawals have to wait until borrowers repay or positions are unwound.`,
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

/** Returns the fraction of total assets that could be withdrawn immediately; 1 when nothing limited the largest holder. */
const liquidShare = ({ liquidity, totalAssets }: Point): number =>
  liquidity === null || totalAssets === null ? 1 : (fractionOf(liquidity, totalAssets) ?? 1);
