import type { Context } from "../context.ts";
import { selectCoverageStart } from "../db/queries/flow-queries.ts";
import { type SnapshotRow, selectSnapshots, sumNetFlows } from "../db/queries/snapshot-queries.ts";
import { formatFixed } from "../lib/amount.ts";
import { DAY_S } from "../lib/durations.ts";
import { formatVaultId, type VaultKey } from "../lib/vault-id.ts";
import {
  type HistoryInterval,
  type HistoryMetric,
  historyIntervals,
  type VaultHistory,
} from "../schemas/history-schema.ts";
import { findVault } from "../vaults/find-vault.ts";
import { annualizedGrowth } from "../vaults/vault-growth-rate.ts";

/** Maximum number of points in one history. Older points are omitted. */
const MAX_POINTS = 1_000;
const WEEK = 7 * DAY_S;
/** Maximum age of the share price that a weekly yield starts from, as a multiple of one week. */
const TOLERANCE = 1.25;

/**
 * Parameters of a history request: vault, metric, interval between points, and time range. A range that extends into
 * the future ends now.
 */
export interface HistoryQuery {
  key: VaultKey;
  metric: HistoryMetric;
  interval: HistoryInterval;
  from: Date;
  to: Date;
}

/**
 * Returns the history of one metric of a vault, oldest first, with the newest 1,000 points at most. A value is null if
 * unknown or if its interval has no snapshot, and a net flow also if the interval before has none. Throws
 * `vault_not_found` and `store_unavailable`.
 */
export async function getHistory(ctx: Context, query: HistoryQuery): Promise<VaultHistory> {
  const vault = await findVault(ctx, formatVaultId(query.key));
  const step = historyIntervals[query.interval];
  // A range that extends into the future ends now.
  const to = new Date(Math.min(query.to.getTime(), ctx.now()));
  const earliest = to.getTime() - (MAX_POINTS - 1) * step * 1000;
  const from = new Date(Math.max(query.from.getTime(), earliest));
  const of = { chainId: vault.chainId, vaultAddress: vault.address };
  // The first point needs earlier snapshots: of one week for a yield, of one interval for a net flow.
  const before = query.metric === "apy" ? WEEK * TOLERANCE : query.metric === "net_flow" ? step : 0;
  const read = { ...of, step, from: new Date(from.getTime() - before * 1000), to };
  const rows = await selectSnapshots(ctx.db, read);
  const values =
    query.metric === "net_flow"
      ? await netFlows(ctx, { of, rows, stepMs: step * 1000 })
      : rowValues(query.metric, rows);
  return {
    vault_id: vault.vaultId,
    metric: query.metric,
    interval: query.interval,
    from: from.toISOString(),
    to: to.toISOString(),
    points: withGaps(
      rows.flatMap((row, index) =>
        row.at < from ? [] : [{ at: row.at.getTime(), block: row.blockNumber, value: values[index] ?? null }],
      ),
      step * 1000,
    ),
  };
}

/**
 * Returns one point per interval between the first and the last snapshot. An interval without a snapshot has the value
 * null.
 */
function withGaps(
  read: readonly { at: number; block: number; value: string | null }[],
  stepMs: number,
): VaultHistory["points"] {
  return read.flatMap(({ at, block, value }, index) => {
    const missing = Math.max(0, Math.round((at - (read[index - 1]?.at ?? at)) / stepMs) - 1);
    const gap = Array.from({ length: missing }, (_, n) => ({
      time: new Date(at - (missing - n) * stepMs).toISOString(),
      block_number: null,
      value: null,
    }));
    return [...gap, { time: new Date(at).toISOString(), block_number: block, value }];
  });
}

function rowValues(
  metric: Exclude<HistoryMetric, "net_flow">,
  rows: readonly SnapshotRow[],
): (string | null)[] {
  if (metric === "share_price") return rows.map(({ sharePrice }) => sharePrice);
  if (metric === "total_assets") return rows.map(({ totalAssets }) => totalAssets);
  return weeklyRates(rows);
}

/**
 * Returns, for each snapshot, the annualized yield of the preceding week, computed from the newest share price that is
 * at least a week older. An entry is null if that price or its own is unknown or gives no yield, or if that price is
 * more than 1.25 weeks older.
 */
function weeklyRates(rows: readonly SnapshotRow[]): (string | null)[] {
  const seconds = ({ blockTime }: SnapshotRow): number => blockTime.getTime() / 1000;
  const priced = rows.filter(({ sharePrice }) => sharePrice !== null);
  let behind = -1;
  return rows.map((row) => {
    for (let next = priced[behind + 1]; next !== undefined; next = priced[behind + 1]) {
      if (seconds(row) - seconds(next) < WEEK) break;
      behind += 1;
    }
    const before = priced[behind];
    if (before === undefined || before.sharePrice === null || row.sharePrice === null) return null;
    const elapsed = seconds(row) - seconds(before);
    if (elapsed > WEEK * TOLERANCE) return null;
    const prices = { before: BigInt(before.sharePrice), after: BigInt(row.sharePrice) };
    const rate = annualizedGrowth({ ...prices, seconds: elapsed });
    return rate === null ? null : formatFixed(rate, 6);
  });
}

/**
 * Returns, for each snapshot, the net flow (deposits minus withdrawals) since the previous snapshot, in the asset's
 * smallest unit. An entry is null if it is the first or follows a gap, if not all blocks in between are indexed, or if
 * an amount is unknown.
 */
async function netFlows(
  ctx: Context,
  history: { of: { chainId: number; vaultAddress: string }; rows: readonly SnapshotRow[]; stepMs: number },
): Promise<(string | null)[]> {
  const { of, rows, stepMs } = history;
  const blocks = rows.map(({ blockNumber }) => blockNumber);
  const [covered, sums] = await Promise.all([
    selectCoverageStart(ctx.db, of),
    sumNetFlows(ctx.db, { ...of, blocks }),
  ]);
  return rows.map((row, index) => {
    const before = rows[index - 1];
    if (covered === null || before === undefined || +row.at - +before.at > stepMs) return null;
    const known = before.blockNumber + 1 >= covered.from && row.blockNumber <= covered.to;
    return known ? (sums[index - 1] ?? null) : null;
  });
}
