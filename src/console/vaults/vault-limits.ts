import type { VaultDetail } from "../../client/read-actions.ts";
import { formatAmount } from "../format/format-numbers.ts";

/** Limit from which a vault counts as unlimited; such vaults report the largest integers. */
const UNLIMITED = 2n ** 120n;

/** Describes the remaining capacity of a vault: `No limit`, `Full`, or an amount. */
export function describeCapacity({ maxDeposit, asset }: VaultDetail): string {
  if (maxDeposit === null) return "Not known";
  if (maxDeposit >= UNLIMITED) return "No limit";
  if (maxDeposit === 0n) return "Full";
  return `${formatAmount(maxDeposit, { decimals: asset.decimals, digits: 2 })} ${asset.symbol}`;
}

/** Describes a vault's minimum deposit: `none`, `not known`, or an amount. */
export function describeMinimum({ minDeposit, noMinimum, asset }: VaultDetail): string {
  if (noMinimum) return "none";
  if (minDeposit === null) return "not known";
  return `${formatAmount(minDeposit, { decimals: asset.decimals })} ${asset.symbol}`;
}

/** Converts shares to the asset by the vault's share price, rounded down, or returns null if the price is unknown. */
export function sharesToAssets(
  { sharePrice, asset, shareDecimals }: VaultDetail,
  shares: bigint,
): bigint | null {
  if (sharePrice === null) return null;
  return (shares * sharePrice * 10n ** BigInt(asset.decimals)) / 10n ** BigInt(18 + shareDecimals);
}
