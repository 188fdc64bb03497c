import { DAY_S } from "../../lib/durations.ts";
import type { Tier } from "../../schemas/signal.ts";
import { latestPoint, type Point, type VaultFacts } from "../facts.ts";
import {
  fixed,
  fractionOf,
  medianAndMad,
  percent,
  type SignalRule,
  tierOf,
  wholeAmount,
} from "../finding.ts";
import { isNegligible } from "../negligible-amount.ts";

/** The newest two snapshots between which a predicate turned from false to true, within the last two hours. */
function turned(
  facts: VaultFacts,
  is: (point: Point) => boolean | null,
): { before: Point; after: Point } | null {
  for (let index = facts.recent.length - 1; index > 0; index -= 1) {
    const [before, after] = [facts.recent[index - 1], facts.recent[index]];
    if (before !== undefined && after !== undefined && is(before) === false && is(after) === true)
      return { before, after };
  }
  return null;
}

/** What a change found at one snapshot has in common: it is counted once for its block. */
const atChange = ({ seconds, blockNumber }: Point) => ({
  subject: "",
  metrics: [],
  keys: [`${blockNumber}`],
  seconds,
  ongoing: false,
  txHash: null,
  blockNumber,
});

function flip(rule: {
  id: string;
  title: string;
  tier: Tier;
  reason: string;
  description: string;
  /** What is said of the vault after its name, and what can be done. */
  says: string;
  summary: (facts: VaultFacts, change: { before: Point; after: Point }) => string;
  is: (point: Point) => boolean | null;
}): SignalRule {
  return {
    rule_id: rule.id,
    dimension: "risk",
    title: rule.title,
    description: rule.description,
    tiers: [{ tier: rule.tier, threshold: "the change itself", reason: rule.reason }],
    needs: "Two snapshots within two hours.",
    quietSeconds: 0,
    find(facts) {
      const change = turned(facts, rule.is);
      if (change === null) return [];
      const evidence = {
        before_block: `${change.before.blockNumber}`,
        after_block: `${change.after.blockNumber}`,
      };
      return [
        {
          ...atChange(change.after),
          tier: rule.tier,
          title: `${facts.vaultName}: ${rule.says}`,
          summary: rule.summary(facts, change),
          evidence,
        },
      ];
    },
  };
}

/** The time between two snapshots, in words. */
const between = ({ before, after }: { before: Point; after: Point }): string =>
  `${Math.max(1, Math.round((after.seconds - before.seconds) / 60))} minutes`;

const wholeOf = (facts: VaultFacts, amount: bigint): string =>
  `${wholeAmount(amount, facts.assetDecimals)} ${facts.assetSymbol}`;

const totalText = (facts: VaultFacts, { totalAssets }: Point): string =>
  totalAssets === null ? "what it holds is not known" : `it holds ${wholeOf(facts, totalAssets)}`;

/** Limits above this are no limits. */
const NO_LIMIT = 2n ** 127n;
const room = (facts: VaultFacts, { maxDeposit }: Point): string =>
  maxDeposit === null || maxDeposit >= NO_LIMIT
    ? "deposits of any size"
    : `up to ${wholeOf(facts, maxDeposit)}`;

export const paused = flip({
  id: "paused",
  title: "Vault paused",
  tier: "high",
  reason: "Nobody can deposit, and often nobody can withdraw; pauses follow incidents",
  description: "The vault's own switch refuses deposits, and did not a snapshot before.",
  says: "deposits are paused",
  summary: (facts, change) =>
    `The contract of ${facts.vaultName} refuses deposits, as it did not ${between(change)} before; ${totalText(facts, change.after)}. Find out why it was paused, and whether withdrawals still work, before you do anything else.`,
  is: (point) => point.paused,
});

export const unpaused = flip({
  id: "unpaused",
  title: "Vault open again",
  tier: "medium",
  reason: "What was stopped works again; the reason may not be gone",
  description: "The vault's own switch takes deposits again.",
  says: "open again after a pause",
  summary: (facts, change) =>
    `The contract of ${facts.vaultName} takes deposits again, as it did not ${between(change)} before; ${totalText(facts, change.after)}. Read what the pause was for, and what changed since, before you deposit.`,
  is: (point) => !point.paused,
});

/** A vault that is paused, or does not tell, is neither full nor open. */
const full = (point: Point): boolean | null =>
  point.paused || point.maxDeposit === null ? null : point.maxDeposit === 0n;

export const capacityExhausted = flip({
  id: "capacity_exhausted",
  title: "Capacity exhausted",
  tier: "medium",
  reason: "Deposits fail until somebody leaves or the cap is raised",
  description: "The vault's deposit limit is zero, and was not a snapshot before.",
  says: "full, takes no more deposits",
  summary: (facts, change) =>
    `${facts.vaultName} takes no more deposits: its limit is zero, and was ${room(facts, change.before)} ${between(change)} before; ${totalText(facts, change.after)}. Deposits fail until its cap is raised or somebody withdraws: choose another vault, or wait for the signal that it has room.`,
  is: full,
});

export const capacityOpened = flip({
  id: "capacity_opened",
  title: "Capacity opened",
  tier: "medium",
  reason: "Deposits work that failed before, often for a short time",
  description: "The vault's deposit limit is above zero again.",
  says: "has room for deposits again",
  summary: (facts, change) =>
    `${facts.vaultName} takes ${room(facts, change.after)} again; ${between(change)} before it was full, and ${totalText(facts, change.after)}. Somebody left or its cap was raised: whoever waited can deposit now, and room like this is often gone soon.`,
  is: (point) => {
    const closed = full(point);
    return closed === null ? null : !closed;
  },
});

const THIN: readonly (readonly [Tier, number])[] = [
  ["high", 0.99],
  ["medium", 0.95],
];
/** Hours of history below which nobody can tell what is usual. */
const MIN_BASELINE_HOURS = 12;

/** The largest holder can withdraw but a small part of the vault, and could withdraw more before. */
export const liquidityThin: SignalRule = {
  rule_id: "liquidity_thin",
  dimension: "risk",
  title: "Liquidity thin",
  description:
    "What the largest known holder can withdraw at once, where that is less than it holds, against total assets.",
  tiers: THIN.map(([tier, most]) => ({
    tier,
    threshold: `${percent(1 - most)} of total assets or less`,
    reason:
      "The next one who leaves has to wait, whatever is usual here; in a run, the last ones wait longest",
  })),
  needs: `${MIN_BASELINE_HOURS} hourly snapshots, in the middle one of which more could be withdrawn.`,
  quietSeconds: DAY_S,
  find(facts) {
    const latest = latestPoint(facts);
    if (latest === null || latest.liquidity === null || latest.totalAssets === null) return [];
    const usual = medianAndMad(facts.hours.slice(0, -1).map(liquidShare));
    const share = fractionOf(latest.liquidity, latest.totalAssets);
    const tier = share === null ? null : tierOf(1 - share, THIN);
    if (share === null || tier === null || usual === null || facts.hours.length <= MIN_BASELINE_HOURS)
      return [];
    // Dust in a vault runs dry with one holder, and always thin is how some vaults are.
    if (usual.median <= 0.1 || isNegligible(facts, latest.totalAssets)) return [];
    const amount = wholeOf(facts, latest.liquidity);
    return [
      {
        ...atChange(latest),
        tier,
        title: `${facts.vaultName}: only ${amount} can be withdrawn at once`,
        summary:
          `The largest holder of ${facts.vaultName} could withdraw no more than ${amount} now, ${percent(share)} of the ` +
          `${wholeOf(facts, latest.totalAssets)} in it; over the last ${facts.hours.length - 1} hours it was ` +
          `${percent(usual.median)} in the middle. Larger withdrawals wait until borrowers repay or positions are ` +
          "unwound: withdraw in parts while there is something, or do not deposit what you may need soon.",
        metrics: [
          {
            label: "withdrawable",
            value: latest.liquidity.toString(),
            unit: facts.assetSymbol,
            change: fixed(share - usual.median),
          },
        ],
        evidence: { total_assets: latest.totalAssets.toString(), usual_share: fixed(usual.median) },
        keys: [tier],
        ongoing: true,
      },
    ];
  },
};

/** Where nothing limited the holder, all could be withdrawn as far as anybody knows. */
const liquidShare = ({ liquidity, totalAssets }: Point): number =>
  liquidity === null || totalAssets === null ? 1 : (fractionOf(liquidity, totalAssets) ?? 1);
