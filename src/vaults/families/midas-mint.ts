import { leastAmount, MAX_UINT256, mulDivDown } from "../../lib/amount.ts";

/** What decides how many mTokens a payment gives. All rates and units count 10^18 as one. */
export interface MidasRates {
  /** What one payment token is worth; the same unit prices the mToken. */
  tokenRate: bigint;
  mTokenRate: bigint;
  /** In basis points of the payment. */
  fee: bigint;
  /** Of the family's units in one smallest unit of the token. */
  unit: bigint;
}

const ONE = 10n ** 18n;
const BPS = 10_000n;

/** The mTokens for an amount (smallest unit of the token), rounded as the DepositVault rounds. Null: none can be. */
export function midasMinted(rates: MidasRates, amount: bigint): bigint | null {
  const { tokenRate, mTokenRate, fee, unit } = rates;
  const payment = amount * unit;
  if (mTokenRate === 0n || fee > BPS || payment > MAX_UINT256) return null;
  const worth = mulDivDown(payment, tokenRate, ONE);
  // The fee is paid in the token, so it is cut to the token's decimals.
  const feeToken = mulDivDown(payment, fee, BPS * unit) * unit;
  const feeWorth = mulDivDown(feeToken, tokenRate, ONE);
  return mulDivDown(worth - feeWorth, ONE, mTokenRate);
}

/** The most that can be paid in at all: its count in the family's units is a uint256. */
export const mostPayable = ({ unit }: Pick<MidasRates, "unit">): bigint => MAX_UINT256 / unit;

/** The least amount that gives at least so many mTokens; null: no amount does. */
export function leastFor(rates: MidasRates, mTokens: bigint): bigint | null {
  if (mTokens === 0n) return 0n;
  return leastAmount(mostPayable(rates), (amount) => (midasMinted(rates, amount) ?? 0n) >= mTokens);
}

/** The largest amount that gives at most so many mTokens. */
export function mostFor(rates: MidasRates, mTokens: bigint): bigint {
  if (mTokens === 0n) return 0n;
  const tooMuch = leastAmount(mostPayable(rates), (amount) => (midasMinted(rates, amount) ?? 0n) > mTokens);
  return tooMuch === null ? mostPayable(rates) : tooMuch - 1n;
}
