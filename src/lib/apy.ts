const YEAR_SECONDS = 365 * 86_400;
/** Precision of the ratio before it becomes a float: share prices have up to 78 digits. */
const PRECISION = 10n ** 15n;

/**
 * Returns the compounded yearly growth of a share price that went from `before` to `after` within `seconds`, as a
 * fraction (0.05 is 5 %). Null without a price or a duration, or when the result exceeds a float.
 */
export function annualizedGrowth(growth: { before: bigint; after: bigint; seconds: number }): number | null {
  const { before, after, seconds } = growth;
  if (before <= 0n || after <= 0n || seconds <= 0) return null;
  const ratio = Number((after * PRECISION) / before) / Number(PRECISION);
  const yearly = ratio ** (YEAR_SECONDS / seconds) - 1;
  return Number.isFinite(yearly) ? Math.round(yearly * 1e6) / 1e6 : null;
}
