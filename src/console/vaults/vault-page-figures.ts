import type { Vault, VaultDetail } from "../../client/operations/read-operations.ts";
import { formatMinimum, formatPercent, formatShortAmount } from "../format/format-numbers.ts";

/**
 * Maximum deposit from which a vault counts as unlimited. Vaults without a limit report the largest integers of their
 * type.
 */
const UNLIMITED = 2n ** 120n;

/**
 * Returns the largest deposit that a vault accepts now as text: `No limit`, `Full`, `Paused`, `Not known`, or an amount
 * of its asset, rounded down to two decimals and shortened from a million on; `<0.01` if it is less.
 */
export function describeCapacity({
  maxDeposit,
  asset,
  paused,
}: Pick<Vault, "maxDeposit" | "asset" | "paused">): string {
  if (paused) return "Paused";
  if (maxDeposit === null) return "Not known";
  if (maxDeposit >= UNLIMITED) return "No limit";
  if (maxDeposit === 0n) return "Full";
  return `${formatShortAmount(maxDeposit, asset.decimals)} ${asset.symbol}`;
}

/**
 * Returns the fee of an immediate withdrawal as text: `None`, a percentage of the assets with two decimals (`<0.01 %`
 * if it is less), or `Not known`, also if the vault pays no withdrawal immediately.
 */
export function describeExitFee({ exitFee }: Pick<Vault, "exitFee">): string {
  if (exitFee === null) return "Not known";
  return exitFee === 0 ? "None" : formatPercent(exitFee);
}

/**
 * Returns a vault's minimum deposit as text: `none`, `not known`, or an amount of its asset, rounded up to four
 * decimals, so that the vault accepts what is shown.
 */
export function describeMinimum({
  minDeposit,
  noMinimum,
  asset,
}: Pick<Vault, "minDeposit" | "noMinimum" | "asset">): string {
  if (noMinimum) return "none";
  if (minDeposit === null) return "not known";
  return `${formatMinimum(minDeposit, asset.decimals)} ${asset.symbol}`;
}

/**
 * Converts shares to the vault's asset at its share price, rounded down; each is in its token's smallest unit. Null if
 * the price is unknown.
 */
export function sharesToAssets(
  { sharePrice, asset, shareDecimals }: Pick<VaultDetail, "sharePrice" | "asset" | "shareDecimals">,
  shares: bigint,
): bigint | null {
  if (sharePrice === null) return null;
  return (shares * sharePrice * 10n ** BigInt(asset.decimals)) / 10n ** BigInt(18 + shareDecimals);
}
