import type { Address } from "viem";
import { knownChains } from "../../chains/chain-definitions.ts";
import { AppError } from "../../errors.ts";
import { sameAddress } from "../../lib/address.ts";

/** A token on one chain with the asset that it represents. */
export interface AcrossToken {
  /**
   * Identifier of the asset, such as `USDC`; the same on every chain. Tokens of one asset are bridged one to one, less
   * the bridge's fees.
   */
  asset: string;
  address: Address;
  decimals: number;
}

/** An asset with its token addresses by chain id. */
interface AcrossAsset {
  asset: string;
  decimals: number;
  addresses: Readonly<Record<number, readonly Address[]>>;
}

/**
 * The assets that Across bridges, with their tokens on each chain; the API is not trusted to pair tokens. Bridged USDC
 * is listed after Circle's native USDC. Source: npm `@across-protocol/constants` 3.1.127.
 */
const acrossAssets: readonly AcrossAsset[] = [
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

/** Returns the tokens of `acrossAssets` on a chain. */
function acrossTokens(chainId: number): AcrossToken[] {
  return acrossAssets.flatMap(({ asset, decimals, addresses }) =>
    (addresses[chainId] ?? []).map((address) => ({ asset, address, decimals })),
  );
}

/**
 * Across's contracts on one chain, and the tokens that may be bridged from and to it. A deployment without tokens
 * serves to track transfers; none are built with it.
 */
export interface AcrossDeployment {
  chainId: number;
  spokePool: Address;
  /**
   * The contract that makes destination calls. If it is null, transfers to this chain can neither carry a destination
   * call nor deliver the wrapped native token.
   */
  multicallHandler: Address | null;
  /**
   * The token into which the SpokePool wraps native currency. Null disables transfers that are paid in native
   * currency.
   */
  wrappedNative: Address | null;
  tokens: readonly AcrossToken[];
}

const MULTICALL_HANDLER = "0x0F7Ae28dE1C8532170AD4ee566B5801485c13a0E";
const OP_STACK_WETH = "0x4200000000000000000000000000000000000006";

/**
 * Across's deployments in code. Those without tokens serve to track transfers that other providers send through Across.
 * Sources (2026): across-protocol/contracts `deployed-addresses.json`; frontend's `api/_multicall-handler.ts`.
 */
export const knownAcrossDeployments: readonly AcrossDeployment[] = [
  {
    chainId: 1,
    spokePool: "0x5c7BCd6E7De5423a257D81B442095A1a6ced35C5",
    multicallHandler: MULTICALL_HANDLER,
    wrappedNative: "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
    tokens: acrossTokens(1),
  },
  {
    chainId: 10,
    spokePool: "0x6f26Bf09B1C792e3228e5467807a900A503c0281",
    multicallHandler: MULTICALL_HANDLER,
    wrappedNative: OP_STACK_WETH,
    tokens: acrossTokens(10),
  },
  {
    chainId: 137,
    spokePool: "0x9295ee1d8C5b022Be115A2AD3c30C72E34e7F096",
    multicallHandler: MULTICALL_HANDLER,
    wrappedNative: "0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270",
    tokens: acrossTokens(137),
  },
  {
    chainId: 8453,
    spokePool: "0x09aea4b2242abC8bb4BB78D537A67a245A7bEC64",
    multicallHandler: MULTICALL_HANDLER,
    wrappedNative: OP_STACK_WETH,
    tokens: acrossTokens(8453),
  },
  {
    chainId: 42161,
    spokePool: "0xe35e9842fceaCA96570B734083f4a58e8F7C5f2A",
    multicallHandler: MULTICALL_HANDLER,
    wrappedNative: "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1",
    tokens: acrossTokens(42161),
  },
  trackedOnly(56, "0x4e8E101924eDE233C13e2D8622DC8aED2872d505"),
  trackedOnly(143, "0xd2ecb3afe598b746F8123CaE365a598DA831A449"),
  trackedOnly(999, "0x35E63eA3eb0fb7A3bc543C71FB66412e1F6B0E04"),
];

/**
 * Creates a deployment without tokens, for tracking only. No transfers are built on its chain, but its
 * SpokePool is read to track transfers that other providers send through Across.
 */
function trackedOnly(chainId: number, spokePool: Address): AcrossDeployment {
  return { chainId, spokePool, multicallHandler: null, wrappedNative: null, tokens: [] };
}

/** Across's contracts and tokens by chain id. */
export type AcrossDeployments = ReadonlyMap<number, AcrossDeployment>;

/**
 * Returns Across's deployments in code together with `extra` ones, by chain id. Throws `internal` if an extra one names
 * a chain that is defined in code or two name the same, so that no setting can replace an address.
 */
export function resolveAcrossDeployments(extra: readonly AcrossDeployment[]): AcrossDeployments {
  const known = new Set(knownChains.map(({ chainId }) => chainId));
  const all = new Map(knownAcrossDeployments.map((deployment) => [deployment.chainId, deployment]));
  for (const deployment of extra) {
    const { chainId } = deployment;
    if (known.has(chainId) || all.has(chainId))
      throw new AppError("internal", `configuration: the bridge of chain ${chainId} ships in code`);
    all.set(chainId, deployment);
  }
  return all;
}

/** Returns the token of an Across deployment with the given address in any letter case, or null if it is not listed. */
export function acrossTokenOf(deployment: AcrossDeployment, address: Address): AcrossToken | null {
  return deployment.tokens.find((token) => sameAddress(token.address, address)) ?? null;
}
