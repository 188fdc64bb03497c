import type { Address } from "viem";
import { sameAddress } from "../../lib/address.ts";

export interface PeggedToken {
  /** The zero address for the chain's native token. */
  address: Address;
  decimals: number;
}

/** LayerZero V2 endpoint ids by chain id. Source: LayerZero's and Stargate's deployment pages. */
export const stargateEndpoints: Readonly<Record<number, number>> = {
  1: 30101,
  10: 30111,
  56: 30102,
  100: 30145,
  137: 30109,
  8453: 30184,
  42161: 30110,
  43114: 30106,
};

const NATIVE: PeggedToken = { address: "0x0000000000000000000000000000000000000000", decimals: 18 };
const usd = (address: Address, decimals = 6): PeggedToken => ({ address, decimals });

/**
 * What a Stargate V2 asset id (1 USDC, 2 USDT, 13 ETH) is on each chain. Source: stargate-protocol/stargate-v2,
 * packages/stg-definitions-v2 and the pools' constructor arguments; asset 13 also read on chain (2026-09).
 */
export const stargateAssets: Readonly<Record<number, Readonly<Record<number, PeggedToken>>>> = {
  1: {
    1: usd("0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"),
    10: usd("0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85"),
    56: usd("0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d", 18),
    100: usd("0x2a22f9c3b484c3629090FeED35F17Ff8F88f76F0"),
    137: usd("0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359"),
    8453: usd("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"),
    42161: usd("0xaf88d065e77c8cC2239327C5EDb3A432268e5831"),
    43114: usd("0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E"),
  },
  2: {
    1: usd("0xdAC17F958D2ee523a2206206994597C13D831ec7"),
    10: usd("0x94b008aA00579c1307B0EF2c499aD98a8ce58e58"),
    56: usd("0x55d398326f99059fF775485246999027B3197955", 18),
    137: usd("0xc2132D05D31c914a87C6611C10748AEb04B58e8F"),
    42161: usd("0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9"),
    43114: usd("0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7"),
  },
  13: {
    1: NATIVE,
    10: NATIVE,
    100: { address: "0x6A023CCd1ff6F2045C3309768eAd9E68F978f6e1", decimals: 18 },
    8453: NATIVE,
    42161: NATIVE,
  },
};

/** Circle's own USDC, which CCTP burns and mints; six decimals everywhere. Source: developers.circle.com. */
export const circleUsdc: Readonly<Record<number, Address>> = {
  1: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
  10: "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85",
  137: "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359",
  143: "0x754704Bc059F8C67012fEd69BC8A327a5aafb603",
  999: "0xb88339CB7199b77E23DB6E890353E22632Ba630f",
  8453: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  42161: "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
  43114: "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E",
};

/** The asset ids whose token on a chain is `token`. */
export function stargateAssetIds(chainId: number, token: Address): number[] {
  return Object.entries(stargateAssets)
    .filter(([, chains]) => sameAddress(chains[chainId]?.address ?? "", token))
    .map(([assetId]) => Number(assetId));
}
