import { mulDivDown, PARTS_PER_BILLION } from "../lib/amount.ts";
import { type TokenPrice, USD_SCALE } from "../prices/price.ts";

const BASIS_POINT = PARTS_PER_BILLION / 10_000n;
/** Loss tolerated in addition to slippage and declared fee, because feed and market prices differ: 0.3%. */
const PRICE_TOLERANCE = 30n * BASIS_POINT;
/** Maximum of a declared fee that is deducted as a fee: 0.5% of the value plus three US dollars. */
const FEE_SHARE = 50n * BASIS_POINT;
const FEE_USD = 3n * USD_SCALE;
/**
 * Tolerated shortfall of an expected output below the fair one, for the same asset: 1%, in addition to three US
 * dollars.
 */
const SAME_ASSET_BAND = 100n * BASIS_POINT;
/**
 * Tolerated shortfall for two tokens of one unit, such as two dollar stablecoins: 1.5%, in addition to the prices'
 * errors.
 */
const SAME_UNIT_BAND = 150n * BASIS_POINT;
/** Tolerated shortfall for other pairs of tokens: 3%, in addition to the prices' errors. */
const SWAP_BAND = 300n * BASIS_POINT;
/** Tolerated excess of an expected output above the fair one: 3%. A greater excess shows an error or a false quote. */
const EXCESS_BAND = 300n * BASIS_POINT;

/**
 * Decimals and price of a token, for valuing a payment: of the paid token, the requested token, or the source chain's
 * native currency.
 */
export interface ValuedToken {
  /** Null if unknown. */
  decimals: number | null;
  /** Null if no price is known that may be used for a valuation. */
  price: TokenPrice | null;
}

/** Fair value of a payment in the requested token. Amounts are in that token's smallest unit. */
export interface FairValue {
  /**
   * Source of the value. `same_asset`: both tokens are one asset, valued one to one. `price`: independent prices.
   * `second_quote`: another provider's quote, where neither is possible.
   */
  basis: "same_asset" | "price" | "second_quote";
  /**
   * Fair output for the payment, rounded up, including the value of the fee that the user pays on top in native
   * currency.
   */
  output: bigint;
  /** Part of `output` that corresponds to the fee on top. */
  feeOnTop: bigint;
  /**
   * Three US dollars in the requested token, rounded down; zero if the token's decimals or a usable price are unknown.
   */
  threeDollars: bigint;
  /**
   * Tolerated deviation of an expected output from `output`, in parts per billion: `band` below it, `excess` above it.
   */
  band: bigint;
  excess: bigint;
}

/**
 * A payment with the data needed to value it: the paid token, the requested token, and the source chain's native
 * currency. `amount` is in the paid token's smallest unit.
 */
export interface ValuedPayment {
  amount: bigint;
  /** Fee that the user pays on top in native currency, in wei, such as a bridge's message fee. */
  nativeFee: bigint;
  from: ValuedToken;
  to: ValuedToken;
  native: ValuedToken;
}

/**
 * Returns the fair value of a payment whose paid and requested token are the same asset: one to one, plus the value of
 * a fee on top. Null if the decimals of either token or the value of the fee are unknown. Pure.
 */
export function sameAssetValue(payment: ValuedPayment): FairValue | null {
  const { amount, from, to } = payment;
  const feeOnTop = valueOfFee(payment);
  if (from.decimals === null || to.decimals === null || feeOnTop === null) return null;
  const own = divideUp(amount * 10n ** BigInt(to.decimals), 10n ** BigInt(from.decimals));
  return {
    ...{ basis: "same_asset", output: own + feeOnTop, feeOnTop },
    threeDollars: threeDollarsOf(to),
    band: SAME_ASSET_BAND,
    excess: EXCESS_BAND,
  };
}

/**
 * Returns the fair value of a payment by independent prices: the paid token at its highest price, the requested one at
 * its lowest. Null if decimals, a price that may judge offers (`judges`), or the value of a fee on top are unknown.
 * Pure.
 */
export function pricedValue(payment: ValuedPayment): FairValue | null {
  const { amount, from, to } = payment;
  const [paid, asked] = [judging(from), judging(to)];
  const feeOnTop = valueOfFee(payment);
  if (paid === null || asked === null || feeOnTop === null) return null;
  if (from.decimals === null || to.decimals === null) return null;
  const own = divideUp(
    amount * paid.high * 10n ** BigInt(to.decimals),
    asked.low * 10n ** BigInt(from.decimals),
  );
  const noise = BigInt(Math.ceil(paid.errorBps + asked.errorBps)) * BASIS_POINT;
  const sameUnit = paid.unit !== null && paid.unit === asked.unit;
  return {
    ...{ basis: "price", output: own + feeOnTop, feeOnTop },
    threeDollars: threeDollarsOf(to),
    band: (sameUnit ? SAME_UNIT_BAND : SWAP_BAND) + noise,
    // The range of a disputed price is no reason to find an offer too good.
    excess: EXCESS_BAND + noise + spreadOf(paid) + spreadOf(asked),
  };
}

/**
 * Returns the fair value of a payment by another provider's quote, plus the value of the fee on top; null if that is
 * unknown. `band` and `excess` are `other.slippage` (parts per billion). Pure.
 */
export function secondQuoteValue(
  payment: ValuedPayment,
  other: { output: bigint; slippage: bigint },
): FairValue | null {
  const feeOnTop = valueOfFee(payment);
  if (feeOnTop === null) return null;
  return {
    ...{ basis: "second_quote", output: other.output + feeOnTop, feeOnTop },
    threeDollars: threeDollarsOf(payment.to),
    band: other.slippage,
    excess: other.slippage,
  };
}

/**
 * Returns the value of the fee on top in the requested token, rounded up. Null if there is a fee and a price or
 * decimals are unknown: what cannot be valued could be any loss.
 */
function valueOfFee({ nativeFee, native, to }: ValuedPayment): bigint | null {
  if (nativeFee === 0n) return 0n;
  const [paid, asked] = [judging(native), judging(to)];
  if (paid === null || asked === null || native.decimals === null || to.decimals === null) return null;
  return divideUp(
    nativeFee * paid.high * 10n ** BigInt(to.decimals),
    asked.low * 10n ** BigInt(native.decimals),
  );
}

function threeDollarsOf(to: ValuedToken): bigint {
  const price = judging(to);
  if (price === null || to.decimals === null) return 0n;
  return mulDivDown(FEE_USD, 10n ** BigInt(to.decimals), price.high);
}

const judging = ({ price }: ValuedToken): TokenPrice | null =>
  price?.judges === true && price.low > 0n ? price : null;

const spreadOf = ({ low, high }: TokenPrice): bigint => ((high - low) * PARTS_PER_BILLION) / low;

const divideUp = (amount: bigint, divisor: bigint): bigint => (amount + divisor - 1n) / divisor;

/**
 * The losses to accept, in parts per billion: the user's slippage and, up to a maximum, the provider's declared fee.
 */
export interface AllowedLoss {
  slippage: bigint;
  declaredFee: bigint;
}

/**
 * Returns the minimum output that an order must guarantee, in the requested token's smallest unit: the fair output less
 * slippage, 0.3%, and the fees (declared and on top) up to 0.5% plus `threeDollars`. Rounded up, at least 1.
 */
export function leastGuaranteed(fair: FairValue, { slippage, declaredFee }: AllowedLoss): bigint {
  const { output } = fair;
  const share = mulDivDown(output, slippage + PRICE_TOLERANCE, PARTS_PER_BILLION);
  const least = output - share - feeOf(fair, declaredFee);
  return least > 0n ? least : 1n;
}

/**
 * Returns the minimum acceptable expected output, in the requested token's smallest unit: the fair output less `band`;
 * for `same_asset` also less `threeDollars`, for `price` less the fees as in `leastGuaranteed`. Rounded up, at least 1.
 * `declaredFee` is in parts per billion.
 */
export function leastExpected(fair: FairValue, declaredFee: bigint): bigint {
  const { output, band } = fair;
  const least = output - mulDivDown(output, band, PARTS_PER_BILLION) - feeBesideBand(fair, declaredFee);
  return least > 0n ? least : 1n;
}

function feeBesideBand(fair: FairValue, declaredFee: bigint): bigint {
  if (fair.basis === "same_asset") return fair.threeDollars;
  return fair.basis === "price" ? feeOf(fair, declaredFee) : 0n;
}

/**
 * Returns the maximum acceptable expected output, in the requested token's smallest unit: the fair output plus its
 * excess band, rounded down, plus one unit for rounding.
 */
export function mostExpected({ output, excess }: FairValue): bigint {
  return output + mulDivDown(output, excess, PARTS_PER_BILLION) + 1n;
}

function feeOf({ output, feeOnTop, threeDollars }: FairValue, declaredFee: bigint): bigint {
  const declared = mulDivDown(output, declaredFee, PARTS_PER_BILLION) + feeOnTop;
  const most = mulDivDown(output, FEE_SHARE, PARTS_PER_BILLION) + threeDollars;
  return declared < most ? declared : most;
}
