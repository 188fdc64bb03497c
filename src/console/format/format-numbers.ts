/** Default number of decimals in displayed amounts. */
const DIGITS = 4;
const THIN_SPACE_MINUS = "−";
// Making a formatter costs many times what formatting does, and lists format hundreds of figures.
const grouped = new Intl.NumberFormat("en-US");
const inUsd = {
  style: "currency",
  currency: "USD",
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
  // Cents are cut off, as in sums, so that no more than the real value is shown.
  roundingMode: "trunc",
} as const;
const usdFormat = new Intl.NumberFormat("en-US", inUsd);
const MILLION = 1_000_000n;
const compactFormat = new Intl.NumberFormat("en-US", {
  ...{ notation: "compact", maximumFractionDigits: 2, roundingMode: "trunc" },
});
const compactUsdFormat = new Intl.NumberFormat("en-US", { ...inUsd, notation: "compact" });

/**
 * Formats an amount of at least zero like `formatAmount`, but rounds up, so that the text is never less than the
 * amount: for minimums.
 */
export function formatMinimum(amount: bigint, decimals: number): string {
  const step = 10n ** BigInt(Math.max(0, decimals - DIGITS));
  return formatAmount(((amount + step - 1n) / step) * step, { decimals });
}

/**
 * Formats an amount in a token's smallest unit with at most `digits` decimals (4 by default), rounded toward zero:
 * `1,234.5678`. A nonzero amount too small for these is shown like `<0.0001`, with its sign.
 */
export function formatAmount(amount: bigint, options: { decimals: number; digits?: number }): string {
  const { decimals, digits = DIGITS } = options;
  const sign = amount < 0n ? THIN_SPACE_MINUS : "";
  const absolute = amount < 0n ? -amount : amount;
  const unit = 10n ** BigInt(decimals);
  const whole = grouped.format(absolute / unit);
  const fraction = (absolute % unit).toString().padStart(decimals, "0");
  const kept = fraction.slice(0, digits).replace(/0+$/, "");
  if (kept === "" && absolute > 0n && absolute < unit) return `${sign}<${smallest(digits)}`;
  return `${sign}${whole}${kept === "" ? "" : `.${kept}`}`;
}

/**
 * Formats an amount of at least zero in a token's smallest unit with at most two decimals, rounded toward zero: like
 * `formatAmount`, but from a million whole tokens on in short form, such as `123.45B`.
 */
export function formatShortAmount(amount: bigint, decimals: number): string {
  const whole = amount / 10n ** BigInt(decimals);
  return whole < MILLION ? formatAmount(amount, { decimals, digits: 2 }) : compactFormat.format(whole);
}

const smallest = (digits: number): string => (digits === 0 ? "1" : `0.${"1".padStart(digits, "0")}`);

/**
 * Formats an amount of at least zero in a token's smallest unit as an exact decimal for an input field: not rounded,
 * and without commas or trailing zeros.
 */
export function toDecimalText(amount: bigint, decimals: number): string {
  const unit = 10n ** BigInt(decimals);
  const fraction = (amount % unit).toString().padStart(decimals, "0").replace(/0+$/, "");
  return `${amount / unit}${fraction === "" || decimals === 0 ? "" : `.${fraction}`}`;
}

/** Result of parsing an amount field: the amount in the token's smallest unit, or a message about the problem. */
export type ParsedAmount = { amount: bigint } | { problem: string };

/**
 * Number, with a decimal point at most, whose whole part may be in groups of three digits with one separator between
 * them: a comma, a space, an underscore or an apostrophe.
 */
const NUMBER =
  /^(?<whole>\d*|[1-9]\d{0,2}(?:(?<group>[,\s_'’])\d{3})(?:\k<group>\d{3})*)(?:\.(?<fraction>\d*))?$/;
/** Number with one decimal comma, which may have groups too. */
const DECIMAL_COMMA = /^(?:0*|[\d.\s_'’٬]+)[,٫]\d*$/;

/**
 * Parses an amount that the user typed to the smallest unit of a token, or returns the problem with it; nothing is
 * rounded. Accepts separators between groups of three digits, but no decimal comma or exponent.
 */
export function parseAmount(text: string, decimals: number): ParsedAmount {
  const typed = text.trim();
  if (typed === "") return { problem: "Enter an amount." };
  const { whole = "", fraction = "" } = NUMBER.exec(typed)?.groups ?? {};
  if (whole === "" && fraction === "") return { problem: problemOfNumber(typed) };
  const exact = fraction.replace(/0+$/, "");
  if (exact.length > decimals) return { problem: `This token has ${decimals} decimals at most.` };
  const amount = BigInt(`${whole.replace(/\D/g, "")}${exact.padEnd(decimals, "0")}`);
  return amount === 0n ? { problem: "Enter an amount above zero." } : { amount };
}

function problemOfNumber(typed: string): string {
  if (!/^[\d.,٫٬\s_'’]*\d[\d.,٫٬\s_'’]*$/.test(typed)) return "Enter a number, such as 100 or 1.5.";
  if (DECIMAL_COMMA.test(typed)) return "Use a point for decimals, such as 1.5.";
  return "Write the number without separators, such as 1500 or 1.5.";
}

/**
 * Formats an amount in US dollars, rounded toward zero: `$1,234.56`, or from 10,000 dollars on, if `compact` is true,
 * `$12.34K`. A nonzero amount below a cent is shown as `<$0.01`, with its sign, and an unknown one as a dash.
 */
export function formatUsd(usd: string | null | undefined, compact = false): string {
  if (usd === null || usd === undefined) return "–";
  const value = Number(usd);
  if (!Number.isFinite(value)) return "–";
  if (value !== 0 && Math.abs(value) < 0.01) return `${value < 0 ? THIN_SPACE_MINUS : ""}<$0.01`;
  const format = compact && Math.abs(value) >= 10_000 ? compactUsdFormat : usdFormat;
  return format.format(value);
}

/**
 * Formats a fraction as a percentage, rounded to `digits` decimals: `0.0512` is shown as `5.12 %`. A nonzero one too
 * small for these is shown like `<0.01 %`, with its sign, and an unknown one as a dash.
 */
export function formatPercent(fraction: number | string | null | undefined, digits = 2): string {
  if (fraction === null || fraction === undefined || !Number.isFinite(Number(fraction))) return "–";
  const percent = Number(fraction) * 100;
  const least = 10 ** -digits;
  if (percent !== 0 && Math.abs(percent) < least) return `${percent < 0 ? THIN_SPACE_MINUS : ""}<${least} %`;
  return `${percent.toFixed(digits).replace("-", THIN_SPACE_MINUS)} %`;
}

/**
 * Formats a share price, which the API scales by 10^18, with at most six decimals, rounded toward zero. A nonzero price
 * below 0.000001 is shown as `<0.000001`, and an unknown one as a dash.
 */
export function formatSharePrice(price: bigint | null): string {
  return price === null ? "–" : formatAmount(price, { decimals: 18, digits: 6 });
}
