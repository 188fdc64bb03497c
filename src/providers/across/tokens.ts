import type { Address } from "viem";

/** A token of a chain and the asset it is worth one of. */
export interface BridgedToken {
  /** Equal on every chain; tokens of one asset are moved into each other one to one. */
  asset: string;
  address: Address;
  decimals: number;
}

interface Asset {
  asset: string;
  decimals: number;
  addresses: Readonly<Record<number, readonly Address[]>>;
}

/**
 * What is the same asset on another chain, by our word and not by the bridge's: an answer that prices one
 * token in another is refused because the two are not listed together here, whatever decimals it claims.
 * Bridged forms of USDC stand after the issuer's own. Source: npm `@across-protocol/constants` 3.1.127.
 */
const assets: readonly Asset[] = [
  {
    asset: "USDC",
    decimals: 6,
    addresses: {
      1: ["0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"],
      10: ["0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85", "0x7F5c764cBc14f9669B88837ca1490cCa17c31607"],
      137: ["0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359", "0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174"],
      8453: ["0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA"],
      42161: ["0xaf88d065e77c8cC2239327C5EDb3A432268e5831", "0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8"],
    },
  },
  {
    asset: "USDT",
    decimals: 6,
    addresses: {
      1: ["0xdAC17F958D2ee523a2206206994597C13D831ec7"],
      10: ["0x94b008aA00579c1307B0EF2c499aD98a8ce58e58"],
      137: ["0xc2132D05D31c914a87C6611C10748AEb04B58e8F"],
      8453: ["0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2"],
      42161: ["0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9"],
    },
  },
  {
    asset: "DAI",
    decimals: 18,
    addresses: {
      1: ["0x6B175474E89094C44Da98b954EedeAC495271d0F"],
      10: ["0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1"],
      137: ["0x8f3Cf7ad23Cd3CaDbD9735AFf958023239c6A063"],
      8453: ["0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb"],
      42161: ["0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1"],
    },
  },
  {
    asset: "WETH",
    decimals: 18,
    addresses: {
      1: ["0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2"],
      10: ["0x4200000000000000000000000000000000000006"],
      137: ["0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619"],
      8453: ["0x4200000000000000000000000000000000000006"],
      42161: ["0x82aF49447D8a07e3bd95BD0d56f35241523fBab1"],
    },
  },
  {
    asset: "WBTC",
    decimals: 8,
    addresses: {
      1: ["0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599"],
      10: ["0x68f180fcCe6836688e9084f035309E29Bf0A2095"],
      137: ["0x1BFD67037B42Cf73acF2047067bd4F2C47D9BfD6"],
      42161: ["0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f"],
    },
  },
];

/** The tokens of a chain that the code knows to be a certain asset. */
export function bridgedTokens(chainId: number): BridgedToken[] {
  return assets.flatMap(({ asset, decimals, addresses }) =>
    (addresses[chainId] ?? []).map((address) => ({ asset, address, decimals })),
  );
}
