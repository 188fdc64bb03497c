import { type Address, isAddressEqual, zeroAddress } from "viem";
import type { DeployedChain } from "../chains/deploy-chain.ts";
import { tokenPlans } from "../chains/plan.ts";
import { type Asset, assetTerms } from "./asset-terms.ts";

/**
 * A token that can be bridged, with the price of a whole token. The native currency has the zero address and the same
 * asset as its wrapped form.
 */
export interface BridgeToken {
  chainId: number;
  address: Address;
  symbol: string;
  name: string;
  decimals: number;
  asset: Asset;
  priceUsd: number;
}

/** A chain with the addresses that the bridge, its relayer and the emulated services need. */
export interface BridgeChain {
  chainId: number;
  name: string;
  key: string;
  /** URL of the node itself. The bridge does not use the fault layer. */
  url: string;
  multicall3: Address | null;
  wrappedNative: Address;
  contracts: DeployedChain["bridging"];
  tokens: readonly BridgeToken[];
}

/** The bridged chains by id. */
export type BridgeChains = ReadonlyMap<number, BridgeChain>;

/** Returns the deployed chains by id. */
export function bridgeChainsOf(deployments: readonly DeployedChain[]): BridgeChains {
  return new Map(deployments.map((deployment) => [deployment.plan.chainId, bridgeChain(deployment)]));
}

function bridgeChain({ plan, url, multicall3, bridging, tokens }: DeployedChain): BridgeChain {
  const { chainId, name, key } = plan;
  const listed = assetTerms.map(({ symbol, priceUsd }): BridgeToken => {
    const token = tokenPlans.find((one) => one.symbol === symbol);
    if (token === undefined) throw new Error(`no token ${symbol}`);
    const { decimals } = token;
    return { chainId, address: tokens[symbol], symbol, name: token.name, decimals, asset: symbol, priceUsd };
  });
  const native = listed
    .filter(({ symbol }) => symbol === "WETH")
    .map((weth) => ({ ...weth, address: zeroAddress, symbol: "ETH", name: "ETH" }));
  const wrappedNative = tokens.WETH;
  return {
    chainId,
    name,
    key,
    url,
    multicall3,
    wrappedNative,
    contracts: bridging,
    tokens: [...native, ...listed],
  };
}

/** Returns the token at an address; null when the chain lists none there. */
export function tokenAt(chain: BridgeChain, address: Address): BridgeToken | null {
  return chain.tokens.find((token) => isAddressEqual(token.address, address)) ?? null;
}

/** Returns true if a token is the native currency. */
export const isNative = ({ address }: BridgeToken): boolean => isAddressEqual(address, zeroAddress);

/** Returns an asset's ERC-20 token on a chain. Throws if there is none. */
export function tokenOfAsset(chain: BridgeChain, asset: Asset): BridgeToken {
  const token = chain.tokens.find((one) => one.asset === asset && !isNative(one));
  if (token === undefined) throw new Error(`chain ${chain.chainId} has no ${asset}`);
  return token;
}
