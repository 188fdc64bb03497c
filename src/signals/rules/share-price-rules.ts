import { annualizedGrowth } from "../../lib/apy.ts";
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

const atPoint = ({ seconds, blockNumber }: Point) => ({ seconds, blockNumber, txHash: null, subject: "" });

const LOSS: readonly (readonly [Tier, number])[] = [
  ["high", 0.01],
  ["medium", 0.0005],
  ["low", 0],
];

/** A fall of the share price below its 24-hour high by more than rounding. */
export const sharePriceLoss: SignalRule = {
  rule_id: "share_price_loss",
  dimension: "performance",
  title: "Share price loss",
  description:
    "The share price compared with its 24-hour high; a fall of up to two smallest units of the asset per share counts as rounding.",
  tiers: [
    { tier: "high", threshold: "At least 1%", reason: "Months of yield in most vaults" },
    {
      tier: "medium",
      threshold: "At least 0.05%",
      reason: "Days of yield: more than rounding or a regular fee",
    },
    {
      tier: "low",
      threshold: "Any fall beyond rounding",
      reason: "The share price of a vault is expected not to fall",
    },
  ],
  needs: "Two snapshots with a share price.",
  quietSeconds: DAY_S,
  find(facts) {
    const latest = latestPoint(facts);
    // Without shares there are no holders to lose anything: the price restarts with the next deposit.
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
        title: `${facts.vaultName}: share price down ${percent(share)} in 24 hours`,
        summary:
          `The share price of ${facts.vaultName} is ${priceOf(facts, latest.sharePrice)}, ${percent(share)} below its ` +
          `24-hour high of ${priceOf(facts, peak)}.${lossOf(facts, { latest, fall })} A share price normally does not fall: ` +
          "find out what was written off before you deposit or withdraw.",
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

/** Describes the loss of all holders together; empty when total assets are unknown. */
function lossOf(facts: VaultFacts, of: { latest: Point; fall: bigint }): string {
  const { latest, fall } = of;
  if (latest.totalAssets === null || latest.sharePrice === null || latest.sharePrice === 0n) return "";
  const lost = (latest.totalAssets * fall) / latest.sharePrice;
  return ` Holders have lost about ${wholeAmount(lost, facts.assetDecimals)} ${facts.assetSymbol} in total.`;
}

/** Earlier days with a yield that the rule needs. */
const MIN_BASELINE_RATES = 14;
const BREAK: readonly (readonly [Tier, number])[] = [
  ["high", 20],
  ["medium", 10],
  ["low", 6],
];
/** Least distance from the median, one percentage point, however steady the vault was. */
const MIN_APY_BREAK = 0.01;

/** A yield of the last day that is far from the vault's earlier days. */
export const apyBreak: SignalRule = {
  rule_id: "apy_break",
  dimension: "performance",
  title: "Yield outside its normal range",
  description:
    "The annualized yield of the last day compared with the median of the vault's earlier days, in median absolute deviations.",
  tiers: BREAK.map(([tier, least]) => ({
    tier,
    threshold: `At least ${least} median absolute deviations and one percentage point from the median`,
    reason: "Median and deviation come from the vault's own days: a volatile vault has a wider normal range",
  })),
  needs: `A share price that changes daily, and at least ${MIN_BASELINE_RATES} earlier days of it.`,
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
        title: `${facts.vaultName}: 1-day APY of ${percent(last.rate)}, ${direction} the median of ${percent(baseline.median)}`,
        summary:
          `The yield of ${facts.vaultName} over the last day was ${percent(last.rate)} APY in ${facts.assetSymbol}. The median of the ` +
          `${earlier.length} earlier days is ${percent(baseline.median)}, with a median absolute deviation of ` +
          `${(baseline.mad * 100).toFixed(2)} percentage points. ${
            direction === "below"
              ? "The strategy may have lost a source of yield."
              : "A single reward payment or a corrected price has the same effect: the yield may not last."
          }`,
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

function dailyRates(days: readonly Point[]): { rate: number; point: Point }[] {
  return days.flatMap((point, index) => {
    const before = days[index - 1];
    if (before === undefined || before.sharePrice === null || point.sharePrice === null) return [];
    const seconds = point.seconds - before.seconds;
    // A pair across a missing day would hide a change, and a short pair would be mostly noise.
    if (seconds > 1.5 * DAY_S || seconds < 0.5 * DAY_S) return [];
    const rate = annualizedGrowth({ before: before.sharePrice, after: point.sharePrice, seconds });
    return rate === null ? [] : [{ rate, point }];
  });
}

/** Changes of the share price that the rule needs. */
const MIN_PRICE_CHANGES = 10;
const STALE: readonly (readonly [Tier, number])[] = [
  ["high", 8],
  ["medium", 4],
];

/** A share price that has not changed for much longer than usual. */
export const priceStale: SignalRule = {
  rule_id: "price_stale",
  dimension: "risk",
  title: "Share price stale",
  description:
    "Time since the last change of the share price, compared with the median interval between its changes.",
  tiers: STALE.map(([tier, least]) => ({
    tier,
    threshold: `At least ${least} times the median interval between changes, and at least two days`,
    reason: "A deposit or withdrawal at a stale price gains or loses what has happened since",
  })),
  needs: `At least ${MIN_PRICE_CHANGES} changes of the share price in the last 90 days.`,
  quietSeconds: DAY_S,
  find(facts) {
    const latest = latestPoint(facts);
    const changes = priceChanges(facts);
    const intervals = medianAndMad(
      changes.slice(1).map((seconds, index) => seconds - (changes[index] ?? seconds)),
    );
    const last = changes.at(-1);
    if (latest === null || last === undefined || intervals === null || changes.length < MIN_PRICE_CHANGES)
      return [];
    const unchanged = latest.seconds - last;
    const tier = unchanged < 2 * DAY_S ? null : tierOf(unchanged / Math.max(intervals.median, 3_600), STALE);
    if (tier === null) return [];
    const hours = Math.floor(unchanged / 3_600);
    return [
      {
        ...atPoint(latest),
        tier,
        title: `${facts.vaultName}: share price unchanged for ${hours} hours`,
        summary:
          `The share price of ${facts.vaultName} has not changed for ${hours} hours` +
          `${latest.sharePrice === null ? "" : ` and is ${priceOf(facts, latest.sharePrice)}`}. The median interval between ` +
          `its last ${changes.length} changes is ${countOf(Math.max(1, Math.round(intervals.median / 3_600)), "hour")}. Its ` +
          "source may have stopped: a deposit or withdrawal now would be at the old price.",
        metrics: [{ label: "unchanged_for", value: `${unchanged}`, unit: "seconds", change: null }],
        evidence: { usual_seconds: `${intervals.median}`, changes: `${changes.length}` },
        keys: [tier],
        ongoing: true,
      },
    ];
  },
};

/** Returns the times of the snapshots that show a new share price, oldest first, in seconds. */
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
