import { parseAbi } from "viem";
import { read } from "../../chains/read.ts";
import { once } from "../../lib/once.ts";
import { sharePriceOf } from "../share-price.ts";
import type { Vault } from "../vault.ts";
import { priceOf, priceReads, priceSample } from "./fine-price.ts";

const priceAbi = once(() =>
  parseAbi([
    "function asset() view returns (address)",
    "function totalAssets() view returns (uint256)",
    "function totalSupply() view returns (uint256)",
    "function convertToShares(uint256) view returns (uint256)",
  ]),
);

/** Conversions answer on both sides of ERC-7540; previews do not. */
export function conversionReads(vault: Vault) {
  const asset = read({ to: vault.entryPoint, abi: priceAbi(), name: "asset" });
  return { asset, ...priceReads(vault, priceSample(vault)) };
}

/** Shares for an amount by the last settled price. */
export const sharesRead = (vault: Vault, amount: bigint) =>
  read({ to: vault.pricer, abi: priceAbi(), name: "convertToShares", args: [amount] });

/** The totals, and the price that is shown. */
export function totalsReads(vault: Vault) {
  return {
    ...priceReads(vault, priceSample(vault)),
    totalAssets: read({ to: vault.entryPoint, abi: priceAbi(), name: "totalAssets" }),
    totalSupply: read({ to: vault.shareToken, abi: priceAbi(), name: "totalSupply" }),
  };
}

type PriceResults = Parameters<typeof priceOf>[1];

/** What a sample of shares is worth; null: it was not told. */
export const toldPrice = (vault: Vault, results: PriceResults) => priceOf(priceSample(vault), results);

/** Whole assets per whole share times 10^18, rounded down; null: not known. */
export function shownPrice(vault: Vault, results: PriceResults): bigint | null {
  return sharePriceOf(toldPrice(vault, results), { asset: vault.asset.decimals, share: vault.shareDecimals });
}
