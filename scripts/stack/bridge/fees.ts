import { type Asset, termsOf } from "./assets.ts";

/** A whole, as Across writes percentages. */
export const PCT = 10n ** 18n;
/** What a relayer asks for its capital: a hundredth of a percent. */
const CAPITAL_PCT = 10n ** 14n;
/** The relay's gas may be at most this part of what is sent. */
const LEAST_MULTIPLE_OF_GAS = 50n;

/** What a delivery costs, in smallest units; percentages of the amount in parts of 10^18. */
export interface RelayFees {
  capital: bigint;
  gas: bigint;
  total: bigint;
  capitalPct: bigint;
  gasPct: bigint;
  totalPct: bigint;
  /** What is delivered; zero when the fees eat everything. */
  outputAmount: bigint;
}

export interface Limits {
  minDeposit: bigint;
  maxDeposit: bigint;
  maxDepositInstant: bigint;
}

/** The fees of moving an amount of an asset; the tokens of an asset have the same decimals on all chains here. */
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

/** What the bridge takes of an asset at once. */
export function limitsOf(asset: Asset): Limits {
  const { relayGas, maxDeposit } = termsOf(asset);
  return { minDeposit: relayGas * LEAST_MULTIPLE_OF_GAS, maxDeposit, maxDepositInstant: maxDeposit / 8n };
}
