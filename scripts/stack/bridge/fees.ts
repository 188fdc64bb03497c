import { type Asset, termsOf } from "./asset-terms.ts";

/** 100 % in Across' fixed-point percentages. */
export const PCT = 10n ** 18n;
/** The relayer's capital fee: 0.01 %. */
const CAPITAL_PCT = 10n ** 14n;
/** Minimum amount as a multiple of the relayer's gas fee. */
const LEAST_MULTIPLE_OF_GAS = 50n;

/** Fees of a delivery in smallest units; percentages in parts of 10^18. */
export interface RelayFees {
  capital: bigint;
  gas: bigint;
  total: bigint;
  capitalPct: bigint;
  gasPct: bigint;
  totalPct: bigint;
  /** Delivered amount; zero when the fees exceed the input. */
  outputAmount: bigint;
}

/** Limits of one deposit, in smallest units; up to `maxDepositInstant` is filled at once. */
export interface Limits {
  minDeposit: bigint;
  maxDeposit: bigint;
  maxDepositInstant: bigint;
}

/** Returns the fees of bridging an amount. An asset has the same decimals on all local chains. */
export function relayFees(asset: Asset, amount: bigint): RelayFees {
  const { relayGas: gas } = termsOf(asset);
  const capital = (amount * CAPITAL_PCT + PCT - 1n) / PCT;
  const total = capital + gas;
  const pct = (part: bigint) => (amount === 0n ? 0n : (part * PCT) / amount);
  const outputAmount = amount > total ? amount - total : 0n;
  return {
    capital,
    gas,
    total,
    capitalPct: CAPITAL_PCT,
    gasPct: pct(gas),
    totalPct: pct(total),
    outputAmount,
  };
}

/** Returns the smallest and largest amounts of an asset that can be bridged at once. */
export function limitsOf(asset: Asset): Limits {
  const { relayGas, maxDeposit } = termsOf(asset);
  return { minDeposit: relayGas * LEAST_MULTIPLE_OF_GAS, maxDeposit, maxDepositInstant: maxDeposit / 8n };
}
