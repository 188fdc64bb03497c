import { type Address, isAddressEqual } from "viem";

/**
 * A token on one chain with the asset that it represents. Tokens of the same asset in one provider's table are valued
 * one to one.
 */
export interface BridgedAsset {
  /** Identifier of the asset, such as `usdc`; the same on every chain, but not in every provider's table. */
  asset: string;
  /** The token; the zero address if the asset is the chain's native currency. */
  address: Address;
  decimals: number;
}

const token = (asset: string, address: Address, decimals: number): BridgedAsset => ({
  asset,
  address,
  decimals,
});
const usdc = (address: Address, decimals = 6) => token("usdc", address, decimals);
const usdt = (address: Address, decimals = 6) => token("usdt", address, decimals);
const eth = (address: Address) => token("eth", address, 18);
const wbtc = (address: Address) => token("wbtc", address, 8);
const dai = (address: Address) => token("dai", address, 18);
const NATIVE_ETHER = eth("0x0000000000000000000000000000000000000000");
const OP_STACK_WETH = eth("0x4200000000000000000000000000000000000006");

/**
 * Bridgeable tokens by chain id, each with the asset that it represents, grouped as Across groups them. Source:
 * @across-protocol/constants 3.1.127, TOKEN_SYMBOLS_MAP.
 */
export const bridgedAssets: Readonly<Record<number, readonly BridgedAsset[]>> = {
  1: [
    NATIVE_ETHER,
    eth("0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2"),
    usdc("0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"),
    usdt("0xdAC17F958D2ee523a2206206994597C13D831ec7"),
    wbtc("0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599"),
    dai("0x6B175474E89094C44Da98b954EedeAC495271d0F"),
  ],
  10: [
    NATIVE_ETHER,
    OP_STACK_WETH,
    usdc("0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85"),
    usdt("0x94b008aA00579c1307B0EF2c499aD98a8ce58e58"),
    wbtc("0x68f180fcCe6836688e9084f035309E29Bf0A2095"),
    dai("0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1"),
  ],
  56: [
    eth("0x2170Ed0880ac9A755fd29B2688956BD959F933F8"),
    usdc("0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d", 18),
    usdt("0x55d398326f99059fF775485246999027B3197955", 18),
  ],
  137: [
    eth("0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619"),
    usdc("0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359"),
    usdt("0xc2132D05D31c914a87C6611C10748AEb04B58e8F"),
    wbtc("0x1BFD67037B42Cf73acF2047067bd4F2C47D9BfD6"),
    dai("0x8f3Cf7ad23Cd3CaDbD9735AFf958023239c6A063"),
  ],
  143: [
    eth("0xEE8c0E9f1BFFb4Eb878d8f15f368A02a35481242"),
    usdc("0x754704Bc059F8C67012fEd69BC8A327a5aafb603"),
    usdt("0xe7cd86e13AC4309349F30B3435a9d337750fC82D"),
    wbtc("0x0555E30da8f98308EdB960aa94C0Db47230d2B9c"),
  ],
  999: [
    usdc("0xb88339CB7199b77E23DB6E890353E22632Ba630f"),
    usdt("0xB8CE59FC3717ada4C02eaDF9682A9e934F625ebb"),
  ],
  8453: [
    NATIVE_ETHER,
    OP_STACK_WETH,
    usdc("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"),
    usdt("0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2"),
    dai("0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb"),
  ],
  42161: [
    NATIVE_ETHER,
    eth("0x82aF49447D8a07e3bd95BD0d56f35241523fBab1"),
    usdc("0xaf88d065e77c8cC2239327C5EDb3A432268e5831"),
    usdt("0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9"),
    wbtc("0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f"),
    dai("0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1"),
  ],
  43114: [
    usdc("0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E"),
    usdt("0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7"),
  ],
};

/** Returns the entry of a token in a list of bridgeable tokens, or null if it is not listed. */
export function bridgedAssetOf(assets: readonly BridgedAsset[], address: Address): BridgedAsset | null {
  return assets.find((candidate) => isAddressEqual(candidate.address, address)) ?? null;
}

/**
 * Returns a predicate for token addresses on chain `chainId`: true if `bridgedAssets` lists the token with the same
 * asset as the paid token. If the paid token is not listed, the predicate is false for every token.
 */
export function sameBridgedAssetAs(
  paid: { chainId: number; token: Address },
  chainId: number,
): (address: Address) => boolean {
  const named = (chain: number, address: Address) =>
    bridgedAssetOf(bridgedAssets[chain] ?? [], address)?.asset;
  const asset = named(paid.chainId, paid.token);
  return (address) => asset !== undefined && named(chainId, address) === asset;
}
