import { formatFixed } from "../../lib/amount.ts";
import { DAY_S } from "../../lib/durations.ts";
import type { Tier } from "../../schemas/signal-schema.ts";
import { formatUtcMinute } from "../../vaults/governance/governance-event.ts";
import { annualizedGrowth } from "../../vaults/vault-growth-rate.ts";
import { isNegligible } from "../negligible-signal-amount.ts";
import { latestPoint, type Point, type VaultFacts } from "../signal-facts.ts";
import {
  fixed,
  fractionOf,
  medianAndMad,
  percent,
  type SignalRule,
  tierOf,
  wholeAmount,
} from "../signal-finding.ts";

/** Returns the fields of a finding that come from one snapshot. */
export const atPoint = ({ seconds, blockNumber }: Point) => ({
  seconds,
  blockNumber,
  txHash: null,
  subject: "",
});

const LOSS: readonly (readonly [Tier, number])[] = [
  ["high", 0.01],
  ["medium", 0.0005],
  ["low", 0],
];

/**
 * Reports that the share price is below its 24-hour high by more than rounding. Vaults without shares are ignored. The
 * high leaves out snapshots from when the vault's assets were negligible.
 */
export const sharePriceLoss: SignalRule = {
  rule_id: "share_price_loss",
  dimension: "performance",
  title: "Share price loss",
  description:
    "The share price compared with its 24-hour high. Falls of at most two of the asset's smallest units per share are " +
    "treated as rounding. The high omits snapshots with negligible total assets (see net_outflow); vaults without shares are left out.",
  tiers: [
    {
      tier: "high",
      threshold: "At least 1%",
      reason: "A loss of this size costs holders months of yield in most vaults",
    },
    {
      tier: "medium",
      threshold: "At least 0.05%",
      reason:
        "A loss of this size costs holders days of yield; rounding and regular fees are usually smaller",
    },
    {
      tier: "low",
      threshold: "Any fall beyond rounding",
      reason: "The share price of most vaults rarely falls",
    },
  ],
  needs: "Two snapshots with a share price within 24 hours.",
  quietSeconds: DAY_S,
  find(facts) {
    const latest = latestPoint(facts);
    // Without shares there are no holders to lose anything: the price restarts with the next deposit.
    if (latest === null || latest.sharePrice === null || latest.totalSupply === 0n) return [];
    const points = [...facts.hours, ...facts.recent].sort((a, b) => a.seconds - b.seconds);
    // The price restarts when the last share is redeemed.
    const restart = points.findLastIndex(({ totalSupply }) => totalSupply === 0n);
    const day = points
      .slice(restart + 1)
      .filter(
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
    // fractionOf rounds to nine decimals, and a fall is never "0.00%".
    const size = percent(Math.max(share, 1e-9));
    const [now, high] = [sharePriceText(facts, latest.sharePrice), sharePriceText(facts, peak)];
    return [
      {
        ...atPoint(latest),
        tier,
        title: `${facts.vaultName}: share price ${size} below its 24-hour high`,
        summary:
          `The share price of ${facts.vaultName} is ${now}, ${size} below its ` +
          `24-hour high${high === now ? "" : ` of ${high}`}.${lossOf(facts, { latest, fall })} The share price of most vaults rarely falls: ` +
          "find out why it did before you deposit or withdraw.",
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

/** Formats a share price (whole assets for one whole share, scaled by 1e18) with at most six decimals. */
export const sharePriceText = ({ assetSymbol }: VaultFacts, price: bigint): string =>
  `${wholeAmount(price, 18, 6)} ${assetSymbol}`;

/**
 * Returns a sentence about the fall on all present shares, or an empty string if total assets are unknown or the share
 * price is zero.
 */
function lossOf(facts: VaultFacts, of: { latest: Point; fall: bigint }): string {
  const { latest, fall } = of;
  if (latest.totalAssets === null || latest.sharePrice === null || latest.sharePrice === 0n) return "";
  const lost = (latest.totalAssets * fall) / latest.sharePrice;
  const whole = wholeAmount(lost > 0n ? lost : 1n, facts.assetDecimals);
  return ` On all shares that now exist, the fall amounts to ${whole.startsWith("less") ? whole : `about ${whole}`} ${facts.assetSymbol}.`;
}

/** Minimum number of earlier days with a yield that the rule needs. */
const MIN_BASELINE_RATES = 14;
const BREAK: readonly (readonly [Tier, number])[] = [
  ["high", 20],
  ["medium", 10],
  ["low", 6],
];
const BREAK_REASONS: Readonly<Record<Tier, string>> = {
  high: "Far outside the vault's normal range: the strategy or its pricing may have changed",
  medium: "Clearly outside the vault's normal range: a one-off effect or a change in the strategy",
  low: "Outside the vault's normal range, rarely a reason to act on its own",
};
/** Minimum distance of a yield from the median, as a fraction, also for a vault with a steady yield. */
const MIN_APY_BREAK = 0.01;

/**
 * Reports the newest yield between two consecutive daily snapshots if it is at least six median absolute deviations and
 * one percentage point from the median of the vault's earlier days. A deviation below 0.1 percentage points counts as
 * 0.1. Needs at least 14 earlier days, of which at most a quarter have a yield of zero.
 */
export const apyBreak: SignalRule = {
  rule_id: "apy_break",
  dimension: "performance",
  title: "Yield outside its normal range",
  description:
    "The annualized yield of the vault's latest full day (between two daily snapshots), compared with the median of its earlier days, in median " +
    "absolute deviations. A vault with a volatile yield has a wider normal range.",
  tiers: BREAK.map(([tier, least]) => ({
    tier,
    threshold:
      `At least ${least} median absolute deviations and one percentage point from the median; a median absolute deviation below 0.1 ` +
      "percentage points counts as 0.1",
    reason: BREAK_REASONS[tier],
  })),
  needs: `Yields of at least ${MIN_BASELINE_RATES} earlier days, of which at most a quarter are zero.`,
  quietSeconds: 2 * DAY_S,
  find(facts) {
    const rates = dailyRates(facts.days);
    const [last, earlier] = [rates.at(-1), rates.slice(0, -1)];
    const baseline = medianAndMad(earlier.map(({ rate }) => rate));
    if (last === undefined || baseline === null || earlier.length < MIN_BASELINE_RATES) return [];
    // A price that is updated every few days has no daily yield: each update would look like a break.
    if (earlier.filter(({ rate }) => rate === 0).length > earlier.length / 4) return [];
    const distance = Math.abs(last.rate - baseline.median);
    const deviations = distance / Math.max(baseline.mad, MIN_APY_BREAK / 10);
    const tier = distance < MIN_APY_BREAK ? null : tierOf(deviations, BREAK);
    if (tier === null) return [];
    const direction = last.rate < baseline.median ? "below" : "above";
    return [
      {
        ...atPoint(last.point),
        tier,
        ...breakTexts(facts, { last, baseline, days: earlier.length }),
        metrics: [
          {
            label: "apy_1d",
            value: fixed(last.rate),
            unit: "fraction",
            change: fixed(last.rate - baseline.median),
          },
        ],
        evidence: {
          median: fixed(baseline.median),
          deviation: fixed(baseline.mad),
          days: `${earlier.length}`,
        },
        keys: [tier, direction],
        ongoing: true,
      },
    ];
  },
};

/**
 * Returns the title and summary about an unusual yield. A fall of the share price by more than rounding is reported as
 * a loss.
 */
function breakTexts(
  { vaultName, assetSymbol, assetDecimals }: VaultFacts,
  of: { last: DailyRate; baseline: { median: number; mad: number }; days: number },
): { title: string; summary: string } {
  const { last, baseline, days } = of;
  const median = percent(baseline.median);
  const normal = `The median of the ${days} earlier days is ${median} APY, with a median absolute deviation of ${points(baseline.mad)}.`;
  const rounding = 2 / 10 ** assetDecimals;
  if (last.growth < -rounding) {
    const fall = percent(-last.growth);
    return {
      title: `${vaultName}: share price fell ${fall} in a day (median yield ${median} APY)`,
      summary:
        `The share price of ${vaultName} fell ${fall} in the day to ${formatUtcMinute(last.point.seconds)}, ${percent(last.rate)} annualized. ${normal} Find out ` +
        "why it fell before you deposit or withdraw.",
    };
  }
  const below = last.rate < baseline.median;
  return {
    title: `${vaultName}: 1-day APY of ${percent(last.rate)}, ${below ? "below" : "above"} the median of ${median}`,
    summary:
      `The yield of ${vaultName} in the day to ${formatUtcMinute(last.point.seconds)} was ${percent(last.rate)} APY in ${assetSymbol}. ${normal} ` +
      consequenceOfYield({ below, unchanged: last.growth <= 0 }),
  };
}

/** Formats a fraction as percentage points. */
const points = (fraction: number): string =>
  fraction < 0.0001
    ? "less than 0.01 percentage points"
    : `${formatFixed(fraction * 100, 2)} percentage points`;

function consequenceOfYield({ below, unchanged }: { below: boolean; unchanged: boolean }): string {
  if (!below)
    return "A single reward payment, a price correction or a second price update in that day can cause this: the yield may not last.";
  return unchanged
    ? "The share price did not rise in that day: its update may be late, or the strategy may have stopped earning."
    : "The strategy may have lost a source of yield.";
}

/** The yield between two daily snapshots: annualized, and as growth of the share price, both as fractions. */
interface DailyRate {
  rate: number;
  growth: number;
  point: Point;
}

function dailyRates(days: readonly Point[]): DailyRate[] {
  return days.flatMap((point, index) => {
    const before = point.totalSupply === 0n ? undefined : days[index - 1];
    if (before === undefined || before.sharePrice === null || point.sharePrice === null) return [];
    const seconds = point.seconds - before.seconds;
    // A pair across a missing day would hide a change. In a part of today, a daily update of the price is missing or counts
    // as the growth of a shorter time.
    if (seconds > 1.5 * DAY_S || seconds < 0.99 * DAY_S) return [];
    const rate = annualizedGrowth({ before: before.sharePrice, after: point.sharePrice, seconds });
    const growth = Number(point.sharePrice - before.sharePrice) / Number(before.sharePrice);
    return rate === null ? [] : [{ rate, growth, point }];
  });
}
