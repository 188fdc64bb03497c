import { annualise } from "../../lib/apy.ts";
import type { Tier } from "../../schemas/signal.ts";
import { dayAgo, latestOf, type Point, type VaultFacts } from "../facts.ts";
import { fixed, fractionOf, percent, robust, type SignalRule, tierOf, wholeAmount } from "../finding.ts";

const at = ({ seconds, blockNumber }: Point) => ({ seconds, blockNumber, txHash: null, subject: "" });

const JUMP: readonly (readonly [Tier, number])[] = [
  ["high", 0.5],
  ["medium", 0.2],
  ["low", 0.1],
];

/** Total assets that move in a day by more than flows and the share price explain. */
export const tvlJump: SignalRule = {
  rule_id: "tvl_jump",
  dimension: "capital",
  title: "Total assets jump",
  description:
    "Total assets of a day ago and now, less what flowed and what the share price's change is worth.",
  tiers: JUMP.map(([tier, least]) => ({
    tier,
    threshold: `${percent(least)} of total assets or more, unexplained`,
    reason:
      "What neither users nor the strategy's result explain is a donation, a migration or an accounting change",
  })),
  needs: "A snapshot that is a day old with a share price, and all flows since.",
  quietSeconds: 86_400,
  find(facts) {
    const [before, latest] = [dayAgo(facts), latestOf(facts)];
    if (before?.totalAssets == null || latest?.totalAssets == null || facts.dayFlows === null) return [];
    if (before.sharePrice === null || before.sharePrice === 0n || latest.sharePrice === null) return [];
    const earned = (before.totalAssets * (latest.sharePrice - before.sharePrice)) / before.sharePrice;
    const net = facts.dayFlows.inflow - facts.dayFlows.outflow;
    const unexplained = latest.totalAssets - before.totalAssets - net - earned;
    const share = fractionOf(unexplained < 0n ? -unexplained : unexplained, before.totalAssets);
    const tier = share === null ? null : tierOf(share, JUMP);
    if (share === null || tier === null) return [];
    const amount = `${wholeAmount(unexplained, facts.assetDecimals)} ${facts.assetSymbol}`;
    return [
      {
        ...at(latest),
        tier,
        title: `Total assets moved by ${amount}`,
        summary: `${amount} (${percent(share)}) that neither deposits, withdrawals nor the share price explain. Ask the curator what was added or removed.`,
        metrics: [
          {
            label: "total_assets",
            value: latest.totalAssets.toString(),
            unit: facts.assetSymbol,
            change: fixed((unexplained < 0n ? -1 : 1) * share),
          },
        ],
        evidence: {
          total_assets_before: before.totalAssets.toString(),
          net_flow: net.toString(),
          earned: earned.toString(),
        },
        keys: [tier, unexplained < 0n ? "down" : "up"],
        ongoing: true,
      },
    ];
  },
};

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
  quietSeconds: 86_400,
  find(facts) {
    const latest = latestOf(facts);
    if (latest === null || latest.sharePrice === null) return [];
    const day = [...facts.hours, ...facts.recent].filter(({ seconds }) => latest.seconds - seconds <= 86_400);
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
        ...at(latest),
        tier,
        title: `Share price fell by ${percent(share)}`,
        summary: `A share is worth ${percent(share)} less than at its best of the last day. Holders lost that much; find out what was written off before depositing.`,
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

/** Days of history below which nobody can tell what is usual. */
const USUAL_DAYS = 14;
const BREAK: readonly (readonly [Tier, number])[] = [
  ["high", 20],
  ["medium", 10],
  ["low", 6],
];
/** Less than a percentage point is not worth a word, however steady the vault was. */
const LEAST_BREAK = 0.01;

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
  needs: `${USUAL_DAYS} days with a share price.`,
  quietSeconds: 2 * 86_400,
  find(facts) {
    const rates = dailyRates(facts.days);
    const [last, earlier] = [rates.at(-1), rates.slice(0, -1)];
    const usual = robust(earlier.map(({ rate }) => rate));
    if (last === undefined || usual === null || earlier.length < USUAL_DAYS) return [];
    // A price that is set now and then has no daily rate: the day it is set would break with all others.
    if (earlier.filter(({ rate }) => rate === 0).length > earlier.length / 4) return [];
    const distance = Math.abs(last.rate - usual.median);
    const deviations = distance / Math.max(usual.mad, LEAST_BREAK / 10);
    const tier = distance < LEAST_BREAK ? null : tierOf(deviations, BREAK);
    if (tier === null) return [];
    const direction = last.rate < usual.median ? "below" : "above";
    return [
      {
        ...at(last.point),
        tier,
        title: `Rate of ${percent(last.rate)}, ${direction} the usual ${percent(usual.median)}`,
        summary: `Over the last day the vault earned at ${percent(last.rate)} a year; its days were ${percent(usual.median)} in the middle. Do not take the new rate for the usual one.`,
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
    if (seconds > 1.5 * 86_400 || seconds < 0.5 * 86_400) return [];
    const rate = annualise({ before: before.sharePrice, after: point.sharePrice, seconds });
    return rate === null ? [] : [{ rate, point }];
  });
}

/** Changes of the price that show how often it usually changes. */
const USUAL_CHANGES = 10;
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
  needs: `${USUAL_CHANGES} changes of the share price within 90 days.`,
  quietSeconds: 86_400,
  find(facts) {
    const latest = latestOf(facts);
    const changes = priceChanges(facts);
    const usual = robust(changes.slice(1).map((seconds, index) => seconds - (changes[index] ?? seconds)));
    const last = changes.at(-1);
    if (latest === null || last === undefined || usual === null || changes.length < USUAL_CHANGES) return [];
    const stood = latest.seconds - last;
    const tier = stood < 2 * 86_400 ? null : tierOf(stood / Math.max(usual.median, 3_600), STALE);
    if (tier === null) return [];
    const hours = Math.floor(stood / 3_600);
    return [
      {
        ...at(latest),
        tier,
        title: `Share price unchanged for ${hours} hours`,
        summary: `The share price has not moved for ${hours} hours; it used to every ${Math.round(usual.median / 3_600)}. Its source may have stopped: wait for a new price before moving money.`,
        metrics: [{ label: "unchanged_for", value: `${stood}`, unit: "seconds", change: null }],
        evidence: { usual_seconds: `${usual.median}`, changes: `${changes.length}` },
        keys: [tier],
        ongoing: true,
      },
    ];
  },
};

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
