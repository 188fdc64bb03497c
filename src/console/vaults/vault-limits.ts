import type { VaultDetail } from "../../client/read-actions.ts";
import { formatAmount } from "../format/amounts.ts";

/** From here on a limit means that there is none: vaults report the largest integers. */
const UNLIMITED = 2n ** 120n;

/** Describes how much a vault still takes: `No limit`, `Full`, or an amount. */
export function describeCapacity({ maxDeposit, asset }: VaultDetail): string {
  if (maxDeposit === null) return "Not known";
  if (maxDeposit >= UNLIMITED) return "No limit";
  if (maxDeposit === 0n) return "Full";
  return `${formatAmount(maxDeposit, { decimals: asset.decimals, digits: 2 })} ${asset.symbol}`;
}

/** Describes a vault's least deposit: `none`, `not known`, or an amount. */
export function describeMinimum({ minDeposit, noMinimum, asset }: VaultDetail): string {
  if (noMinimum) return "none";
  if (minDeposit === null) return "not known";
  return `${formatAmount(minDeposit, { decimals: asset.decimals })} ${asset.symbol}`;
}

/** Converts shares to whole units of the asset by the vault's share price, rounded down; null when it is not known. */
export function sharesToAssets(
  { sharePrice, asset, shareDecimals }: VaultDetail,
  shares: bigint,
): bigint | null {
  if (sharePrice === null) return null;
  return (shares * sharePrice * 10n ** BigInt(asset.decimals)) / 10n ** BigInt(18 + shareDecimals);
}
