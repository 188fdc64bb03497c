import type { Address } from "viem";
import { bridgedAssets } from "../providers/lifi/bridged-assets.ts";

/** Assets of reviewed vaults, by chain, besides those that bridges take for the same everywhere. Lower case. */
const REVIEWED: Readonly<Record<number, readonly string[]>> = {
  1: [
    "0x00000000efe302beaa2b3e6e1b18d08d69a9012a",
    "0x5f7827fdeb7c20b443265fc2f40845b715385ff2",
    "0x6c3ea9036406852006290770bedfcaba0e23a0e8",
    "0xa1290d69c65a6fe4df752f95823fae25cb99e5a7",
    "0xae78736cd615f374d3085123a210448e74fc6393",
    "0xc139190f447e929f090edeb554d95abb8b18ac1c",
    "0xcbb7c0000ab88b473b1f5afd9ef808440eed33bf",
    "0xdc035d45d973e3ec169d2276ddab16f1e407384f",
    "0xe556aba6fe6036275ec1f87eda296be72c811bce",
  ],
  100: ["0xe91d153e0b41518a2ce8dd3d7944fa863463a97d"],
  999: [
    "0x5555555555555555555555555555555555555555",
    "0x9fdbda0a5e284c32744d2f17ee5c74b284993463",
    "0xb88339cb7199b77e23db6e890353e22632ba630f",
    "0xb8ce59fc3717ada4c02eadf9682a9e934f625ebb",
    "0xd8fc8f0b03eba61f64d08b0bef69d80916e5dda9",
  ],
  8453: ["0x60a3e35cc302bfa44cb288bc5a4f316fdb1adb42"],
};
/** More of a symbol says no more, and a token may call itself whatever it likes. */
const LONGEST = 20;

/**
 * What amounts of an asset are counted in, for people: its symbol where this service knows the contract, else the
 * symbol with the contract's first and last digits. Anybody can call a token WBTC; then a signal must not count in WBTC.
 */
export function assetUnit(of: { chainId: number; asset: { address: Address; symbol: string } }): string {
  const address = of.asset.address.toLowerCase();
  const bridged = bridgedAssets[of.chainId] ?? [];
  const known =
    REVIEWED[of.chainId]?.includes(address) === true ||
    bridged.some((token) => token.address.toLowerCase() === address);
  const symbol = of.asset.symbol.replace(/[^\x21-\x7e]/g, "?").slice(0, LONGEST);
  if (known && symbol !== "") return symbol;
  const contract = `${of.asset.address.slice(0, 6)}…${of.asset.address.slice(-4)}`;
  return symbol === "" ? contract : `${symbol} (${contract})`;
}
