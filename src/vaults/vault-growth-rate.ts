const YEAR_SECONDS = 365 * 86_400;
/**
 * Scale of the price ratio before it becomes a floating-point number, because share prices can have up to 78 digits.
 */
const PRECISION = 10n ** 15n;

/**
 * Returns the annualized (365 days), compounded growth of a share price over `seconds`, as a fraction rounded to six
 * decimals (0.05 is 5%). Null if a price or the duration is not positive, or the result not finite.
 */
export function annualizedGrowth(growth: { before: bigint; after: bigint; seconds: number }): number | null {
  const { before, after, seconds } = growth;
  if (before <= 0n || after <= 0n || seconds <= 0) return null;
  const ratio = Number((after * PRECISION) / before) / Number(PRECISION);
  const yearly = Math.round((ratio ** (YEAR_SECONDS / seconds) - 1) * 1e6) / 1e6;
  return Number.isFinite(yearly) ? yearly : null;
}
