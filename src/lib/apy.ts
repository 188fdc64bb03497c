const YEAR_SECONDS = 365 * 86_400;
/** Digits of a ratio that are kept before it becomes a float: prices have up to 78. */
const PRECISION = 10n ** 15n;

/**
 * The yearly rate at which a share price that went from `before` to `backoff` within `seconds` grows, compounded, as a
 * fraction (0.05 is 5 %); null when it cannot be told: no time, no price, or beyond what a float says.
 */
export function annualizedGrowth(growth: { before: bigint; after: bigint; seconds: number }): number | null {
  const { before, after, seconds } = growth;
  if (before <= 0n || after <= 0n || seconds <= 0) return null;
  const ratio = Number((after * PRECISION) / before) / Number(PRECISION);
  const yearly = ratio ** (YEAR_SECONDS / seconds) - 1;
  return Number.isFinite(yearly) ? Math.round(yearly * 1e6) / 1e6 : null;
}
