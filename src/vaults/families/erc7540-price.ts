import { parseAbi } from "viem";
import { type ReadResult, read, valueOrNull } from "../../chains/read.ts";
import { once } from "../../lib/once.ts";
import { sharePriceOf } from "../share-price.ts";
import type { Vault } from "../vault.ts";

const priceAbi = once(() =>
  parseAbi([
    "function asset() view returns (address)",
    "function totalAssets() view returns (uint256)",
    "function totalSupply() view returns (uint256)",
    "function convertToAssets(uint256) view returns (uint256)",
    "function convertToShares(uint256) view returns (uint256)",
  ]),
);
/** Assets with fewer decimals round one share's worth too coarsely to judge a price by. */
const FINE_DECIMALS = 6;

/** Shares whose worth is asked: whole ones, as many as show the price in an asset of few decimals. */
function sampleShares(vault: Vault): bigint {
  return 10n ** BigInt(vault.shareDecimals + Math.max(0, FINE_DECIMALS - vault.asset.decimals));
}

/** Conversions answer on both sides of ERC-7540; previews do not. */
function priceRead(vault: Vault) {
  const args = [sampleShares(vault)] as const;
  return read({ to: vault.pricer, abi: priceAbi(), name: "convertToAssets", args });
}

export function conversionReads(vault: Vault) {
  const asset = read({ to: vault.entryPoint, abi: priceAbi(), name: "asset" });
  return { asset, price: priceRead(vault) };
}

/** Shares for an amount by the last settled price. */
export const sharesRead = (vault: Vault, amount: bigint) =>
  read({ to: vault.pricer, abi: priceAbi(), name: "convertToShares", args: [amount] });

/** The totals, and the price that is shown. */
export function totalsReads(vault: Vault) {
  return {
    price: priceRead(vault),
    totalAssets: read({ to: vault.entryPoint, abi: priceAbi(), name: "totalAssets" }),
    totalSupply: read({ to: vault.shareToken, abi: priceAbi(), name: "totalSupply" }),
  };
}

/** What the sample's worth says of any number of shares; null: it did not answer. */
export function priceOf(vault: Vault, result: ReadResult<bigint>) {
  const assets = valueOrNull(result);
  return assets === null ? null : { assets, shares: sampleShares(vault) };
}

/** Whole assets per whole share times 10^18, rounded down; null: not known. */
export function shownPrice(vault: Vault, result: ReadResult<bigint>): bigint | null {
  return sharePriceOf(priceOf(vault, result), { asset: vault.asset.decimals, share: vault.shareDecimals });
}
