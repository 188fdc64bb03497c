import { annualizedGrowth } from "../../lib/apy.ts";
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

const atPoint = ({ seconds, blockNumber }: Point) => ({ seconds, blockNumber, txHash: null, subject: "" });

const LOSS: readonly (readonly [Tier, number])[] = [
  ["high", 0.01],
  ["medium", 0.0005],
  ["low", 0],
];

/** Any fall of the share price beyond what rounding does, from the highest price of the last day. */
export const sharePriceLoss: SignalRule = {
  rule_id: "share_price_loss",
  dimension: "performance",
  title: "Share price loss",
  description:
    "The share price now against its highest of the last day; two units of the asset per share are rounding.",
  tiers: [
    { tier: "high", threshold: "1 % or more", reason: "More than months of yield of most vaults" },
    { tier: "medium", threshold: "0.05 % or more", reason: "Days of yield: no rounding, no fee" },
    {
      tier: "low",
      threshold: "anything beyond rounding",
      reason: "A share price that only grows must not fall at all",
    },
  ],
  needs: "Two snapshots with a share price.",
  quietSeconds: DAY_S,
  find(facts) {
    const latest = latestPoint(facts);
    // Without a share nobody lost anything: the price is where the vault begins again.
    if (latest === null || latest.sharePrice === null || latest.totalSupply === 0n) return [];
    const day = [...facts.hours, ...facts.recent].filter(
      ({ seconds, totalAssets }) =>
        latest.seconds - seconds <= DAY_S && (totalAssets === null || !isNegligible(facts, totalAssets)),
    );
    const peak = day.reduce(
      (best: bigint, { sharePrice }) => (sharePrice !== null && sharePrice > best ? sharePrice : best),
      0n,
    );
    const rounding = 2n * 10n ** BigInt(Math.max(0, 18 - facts.assetDecimals));
    const fall = peak - latest.sharePrice;
    const share = fractionOf(fall, peak);
    if (share === null || fall <= rounding) return [];
    const tier = tierOf(share, LOSS) ?? "low";
    return [
      {
        ...atPoint(latest),
        tier,
        title: `${facts.vaultName}: share price fell by ${percent(share)} in 24 hours`,
        summary:
          `A share of ${facts.vaultName} is worth ${priceOf(facts, latest.sharePrice)}, ${percent(share)} less than ` +
          `the ${priceOf(facts, peak)} of its best moment in the last 24 hours${lossOf(facts, { latest, fall })}. ` +
          "Normal is that it never falls beyond rounding. Find out what was written off before you deposit; whoever leaves now takes the loss, whoever stays shares what may follow.",
        metrics: [
          { label: "share_price", value: latest.sharePrice.toString(), unit: "1e18", change: fixed(-share) },
        ],
        evidence: {
          highest: peak.toString(),
          now: latest.sharePrice.toString(),
          rounding: rounding.toString(),
        },
        keys: [tier],
        ongoing: true,
      },
    ];
  },
};

const priceOf = ({ assetSymbol }: VaultFacts, price: bigint): string =>
  `${wholeAmount(price / 10n ** 12n, 6, 6)} ${assetSymbol}`;

/** What the fall is worth to all who hold shares, where it can be told. */
function lossOf(facts: VaultFacts, of: { latest: Point; fall: bigint }): string {
  const { latest, fall } = of;
  if (latest.totalAssets === null || latest.sharePrice === null || latest.sharePrice === 0n) return "";
  const lost = (latest.totalAssets * fall) / latest.sharePrice;
  return `: about ${wholeAmount(lost, facts.assetDecimals)} ${facts.assetSymbol} of what holders had`;
}

/** Days of history below which nobody can tell what is usual. */
const MIN_BASELINE_RATES = 14;
const BREAK: readonly (readonly [Tier, number])[] = [
  ["high", 20],
  ["medium", 10],
  ["low", 6],
];
/** Less than a percentage point is not worth a word, however steady the vault was. */
const MIN_APY_BREAK = 0.01;

/** A daily rate far from what the vault's own days were. */
export const apyBreak: SignalRule = {
  rule_id: "apy_break",
  dimension: "performance",
  title: "Rate breaks with its history",
  description:
    "The yearly rate of the last day against the median of the vault's earlier days, in median deviations.",
  tiers: BREAK.map(([tier, least]) => ({
    tier,
    threshold: `${least} median absolute deviations or more, and one percentage point`,
    reason: "Median and deviation are of the vault's own days, so that a lively vault may be lively",
  })),
  needs: `${MIN_BASELINE_RATES} days with a share price.`,
  quietSeconds: 2 * DAY_S,
  find(facts) {
    const rates = dailyRates(facts.days);
    const [last, earlier] = [rates.at(-1), rates.slice(0, -1)];
    const usual = medianAndMad(earlier.map(({ rate }) => rate));
    if (last === undefined || usual === null || earlier.length < MIN_BASELINE_RATES) return [];
    // A price that is set now and then has no daily rate: the day it is set would break with all others.
    if (earlier.filter(({ rate }) => rate === 0).length > earlier.length / 4) return [];
    const distance = Math.abs(last.rate - usual.median);
    const deviations = distance / Math.max(usual.mad, MIN_APY_BREAK / 10);
    const tier = distance < MIN_APY_BREAK ? null : tierOf(deviations, BREAK);
    if (tier === null) return [];
    const direction = last.rate < usual.median ? "below" : "above";
    return [
      {
        ...atPoint(last.point),
        tier,
        title: `${facts.vaultName}: earns ${percent(last.rate)} a year, ${direction} the usual ${percent(usual.median)}`,
        summary:
          `Over the last day ${facts.vaultName} earned ${facts.assetSymbol} at ${percent(last.rate)} a year. Over ` +
          `${earlier.length} earlier days it was ${percent(usual.median)} in the middle, and half of them lay within ` +
          `${percent(usual.mad)} of that. ${last.rate < usual.median ? "Find out whether the strategy lost its source of yield before you deposit or stay for the old rate." : "Do not take one day's rate for the usual one: a single payment or a price that was corrected looks the same."}`,
        metrics: [
          {
            label: "apy_1d",
            value: fixed(last.rate),
            unit: "fraction",
            change: fixed(last.rate - usual.median),
          },
        ],
        evidence: { median: fixed(usual.median), deviation: fixed(usual.mad), days: `${earlier.length}` },
        keys: [tier, direction],
        ongoing: true,
      },
    ];
  },
};

function dailyRates(days: readonly Point[]): { rate: number; point: Point }[] {
  return days.flatMap((point, index) => {
    const before = days[index - 1];
    if (before === undefined || before.sharePrice === null || point.sharePrice === null) return [];
    const seconds = point.seconds - before.seconds;
    // A day without a snapshot would pass for a steady one; a young one would be mostly noise.
    if (seconds > 1.5 * DAY_S || seconds < 0.5 * DAY_S) return [];
    const rate = annualizedGrowth({ before: before.sharePrice, after: point.sharePrice, seconds });
    return rate === null ? [] : [{ rate, point }];
  });
}

/** Changes of the price that show how often it usually changes. */
const MIN_PRICE_CHANGES = 10;
const STALE: readonly (readonly [Tier, number])[] = [
  ["high", 8],
  ["medium", 4],
];

/** A share price that has stood still for far longer than it used to. */
export const priceStale: SignalRule = {
  rule_id: "price_stale",
  dimension: "risk",
  title: "Price source stale",
  description: "How long the share price has not changed, against the median time between its changes.",
  tiers: STALE.map(([tier, least]) => ({
    tier,
    threshold: `${least} times the usual time between changes, and two days at least`,
    reason: "Who deposits or withdraws at an old price gains or loses what happened since",
  })),
  needs: `${MIN_PRICE_CHANGES} changes of the share price within 90 days.`,
  quietSeconds: DAY_S,
  find(facts) {
    const latest = latestPoint(facts);
    const changes = priceChanges(facts);
    const usual = medianAndMad(
      changes.slice(1).map((seconds, index) => seconds - (changes[index] ?? seconds)),
    );
    const last = changes.at(-1);
    if (latest === null || last === undefined || usual === null || changes.length < MIN_PRICE_CHANGES)
      return [];
    const stood = latest.seconds - last;
    const tier = stood < 2 * DAY_S ? null : tierOf(stood / Math.max(usual.median, 3_600), STALE);
    if (tier === null) return [];
    const hours = Math.floor(stood / 3_600);
    return [
      {
        ...atPoint(latest),
        tier,
        title: `${facts.vaultName}: share price unchanged for ${hours} hours`,
        summary:
          `The share price of ${facts.vaultName} stands at ${latest.sharePrice === null ? "an unknown value" : priceOf(facts, latest.sharePrice)} ` +
          `for ${hours} hours; in its last ${changes.length} changes it moved every ${hoursText(usual.median)} in the middle. ` +
          "Its source may have stopped: wait for a new price before you deposit or withdraw, as either would be at the old one.",
        metrics: [{ label: "unchanged_for", value: `${stood}`, unit: "seconds", change: null }],
        evidence: { usual_seconds: `${usual.median}`, changes: `${changes.length}` },
        keys: [tier],
        ongoing: true,
      },
    ];
  },
};

const hoursText = (seconds: number): string =>
  seconds < 5_400 ? "hour" : `${Math.round(seconds / 3_600)} hours`;

/** When the share price was seen to have changed, oldest first, seconds. */
function priceChanges({ days, hours, recent }: VaultFacts): number[] {
  const firstHour = hours[0]?.seconds ?? Number.POSITIVE_INFINITY;
  const points = [...days.filter(({ seconds }) => seconds < firstHour), ...hours, ...recent]
    .filter(({ sharePrice }) => sharePrice !== null)
    .sort((a, b) => a.seconds - b.seconds);
  return points.flatMap((point, index) => {
    const before = points[index - 1];
    return before === undefined || before.sharePrice === point.sharePrice ? [] : [point.seconds];
  });
}
