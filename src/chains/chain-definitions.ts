import type { Address } from "viem";
import type { ChainSetting } from "../config/config.ts";
import { AppError, failure } from "../errors.ts";

/** A chain that the deployment serves: names, native currency, nodes and limits. */
export interface ChainDefinition {
  chainId: number;
  name: string;
  /** Short name of the chain, such as `eth`. */
  key: string;
  /** URL of the chain's block explorer, without a trailing slash; empty if none is known. */
  explorer: string;
  native: { symbol: string; decimals: number };
  /** Contract of the canonical wrapped native currency, or null if none is known for certain. */
  wrappedNative: Address | null;
  /** URLs of the JSON-RPC nodes, in order of preference. */
  rpcUrls: readonly string[];
  /** Number of blocks, from the transaction's own to the head, both included, at which its receipt counts as proof. */
  confirmations: number;
  /**
   * Maximum number of topics in one list of an `eth_getLogs` request; undefined if the chain's nodes are not known to
   * limit it.
   */
  maxLogTopics?: number;
  /**
   * Maximum number of blocks in one `eth_getLogs` request, where the chain's public nodes limit it to so few that the
   * history cannot be read. Undefined otherwise, and if the configuration names the nodes.
   */
  maxLogBlocks?: number;
  /** Kind of contract that reports the chain's L1 data fee; undefined if the chain is not known to charge one. */
  dataFee?: "op-stack" | "arbitrum";
}

/** Returns the link to a transaction in the chain's block explorer, or null if no explorer is known. */
export function transactionLink(chain: ChainDefinition, txHash: string): string | null {
  return chain.explorer === "" ? null : `${chain.explorer}/tx/${txHash}`;
}

/**
 * Creates (without throwing) the `chain_unsupported` error for a chain that is not served. Its text lists the served
 * chains.
 */
export function chainNotServed(chainId: number, served: ReadonlyMap<number, ChainDefinition>): AppError {
  const names = [...served.values()].map((chain) => `${chain.name} (${chain.chainId})`);
  return failure("chain_unsupported", `chain ${chainId} is not served; served are: ${names.join(", ")}`);
}

const ETHER = { symbol: "ETH", decimals: 18 } as const;
const OP_STACK_WETH = "0x4200000000000000000000000000000000000006";

/**
 * The chains that are defined in code, with public nodes that need no API key. Sources: chainlist, the chains' own
 * documentation and viem's chain definitions (2026).
 */
export const knownChains: readonly ChainDefinition[] = [
  {
    chainId: 1,
    name: "Ethereum",
    key: "eth",
    explorer: "https://etherscan.io",
    native: ETHER,
    wrappedNative: "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
    rpcUrls: ["https://ethereum-rpc.publicnode.com", "https://eth.drpc.org", "https://ethereum.reth.rs/rpc"],
    confirmations: 2,
  },
  {
    chainId: 10,
    name: "OP Mainnet",
    key: "opt",
    explorer: "https://optimistic.etherscan.io",
    native: ETHER,
    wrappedNative: OP_STACK_WETH,
    rpcUrls: [
      "https://mainnet.optimism.io",
      "https://optimism-rpc.publicnode.com",
      "https://optimism.drpc.org",
    ],
    confirmations: 2,
    dataFee: "op-stack",
  },
  {
    chainId: 56,
    name: "BNB Smart Chain",
    key: "bsc",
    explorer: "https://bscscan.com",
    native: { symbol: "BNB", decimals: 18 },
    wrappedNative: "0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c",
    rpcUrls: ["https://bsc-rpc.publicnode.com", "https://bsc.drpc.org", "https://bsc-dataseed.bnbchain.org"],
    confirmations: 3,
  },
  {
    chainId: 100,
    name: "Gnosis",
    key: "dai",
    explorer: "https://gnosisscan.io",
    native: { symbol: "xDAI", decimals: 18 },
    wrappedNative: "0xe91D153E0b41518A2Ce8Dd3D7944Fa863463a97d",
    rpcUrls: ["https://rpc.gnosischain.com", "https://gnosis-rpc.publicnode.com", "https://gnosis.drpc.org"],
    confirmations: 3,
  },
  {
    chainId: 137,
    name: "Polygon",
    key: "pol",
    explorer: "https://polygonscan.com",
    native: { symbol: "POL", decimals: 18 },
    wrappedNative: "0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270",
    rpcUrls: ["https://polygon-bor-rpc.publicnode.com", "https://polygon.drpc.org"],
    confirmations: 5,
  },
  {
    chainId: 143,
    name: "Monad",
    key: "mon",
    explorer: "https://monadvision.com",
    native: { symbol: "MON", decimals: 18 },
    wrappedNative: null,
    rpcUrls: ["https://rpc.monad.xyz", "https://rpc2.monad.xyz", "https://rpc3.monad.xyz"],
    confirmations: 3,
    maxLogBlocks: 100,
  },
  {
    chainId: 999,
    name: "HyperEVM",
    key: "hyp",
    explorer: "https://hyperevmscan.io",
    native: { symbol: "HYPE", decimals: 18 },
    wrappedNative: "0x5555555555555555555555555555555555555555",
    rpcUrls: ["https://rpc.hyperliquid.xyz/evm", "https://hyperevm.rpc.sentio.xyz"],
    confirmations: 2,
    maxLogTopics: 4,
    maxLogBlocks: 50,
  },
  {
    chainId: 8453,
    name: "Base",
    key: "bas",
    explorer: "https://basescan.org",
    native: ETHER,
    wrappedNative: OP_STACK_WETH,
    rpcUrls: ["https://mainnet.base.org", "https://base-rpc.publicnode.com", "https://base.drpc.org"],
    confirmations: 2,
    dataFee: "op-stack",
  },
  {
    chainId: 42161,
    name: "Arbitrum One",
    key: "arb",
    explorer: "https://arbiscan.io",
    native: ETHER,
    wrappedNative: "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1",
    rpcUrls: [
      "https://arb1.arbitrum.io/rpc",
      "https://arbitrum-one-rpc.publicnode.com",
      "https://arbitrum.drpc.org",
    ],
    confirmations: 2,
    dataFee: "arbitrum",
  },
  {
    chainId: 43114,
    name: "Avalanche",
    key: "ava",
    explorer: "https://snowtrace.io",
    native: { symbol: "AVAX", decimals: 18 },
    wrappedNative: "0xB31f66AA3C1e785363F0875A1B74E27b85FD66c7",
    rpcUrls: ["https://api.avax.network/ext/bc/C/rpc", "https://avalanche-c-chain-rpc.publicnode.com"],
    confirmations: 2,
  },
  {
    chainId: 747474,
    name: "Katana",
    key: "kat",
    explorer: "https://katanascan.com",
    native: ETHER,
    wrappedNative: null,
    rpcUrls: ["https://rpc.katana.network", "https://katana.drpc.org"],
    confirmations: 2,
    dataFee: "op-stack",
  },
  {
    chainId: 130,
    name: "Unichain",
    key: "uni",
    explorer: "https://uniscan.xyz",
    native: ETHER,
    wrappedNative: OP_STACK_WETH,
    rpcUrls: ["https://mainnet.unichain.org", "https://unichain-rpc.publicnode.com"],
    confirmations: 2,
    dataFee: "op-stack",
  },
  {
    chainId: 146,
    name: "Sonic",
    key: "son",
    explorer: "https://sonicscan.org",
    native: { symbol: "S", decimals: 18 },
    wrappedNative: "0x039e2fB66102314Ce7b64Ce5Ce3E5183bc94aD38",
    rpcUrls: ["https://rpc.soniclabs.com", "https://sonic-rpc.publicnode.com"],
    confirmations: 2,
  },
  {
    chainId: 9745,
    name: "Plasma",
    key: "pla",
    explorer: "https://plasmascan.to",
    native: { symbol: "XPL", decimals: 18 },
    wrappedNative: "0x6100E367285b01F48D07953803A2d8dCA5D19873",
    rpcUrls: ["https://rpc.plasma.to", "https://plasma.drpc.org"],
    confirmations: 2,
  },
  {
    chainId: 59144,
    name: "Linea",
    key: "lna",
    explorer: "https://lineascan.build",
    native: ETHER,
    wrappedNative: "0xe5D7C2a44FfDDf6b295A15c148167daaAf5Cf34f",
    rpcUrls: ["https://rpc.linea.build", "https://linea-rpc.publicnode.com"],
    confirmations: 2,
  },
];

/**
 * Returns the chains that a deployment serves, by chain id; all known chains if `settings` is null. For a known chain,
 * only node URLs are taken from the settings. Another chain needs `name`, `key`, `native` and `rpc_urls`; throws
 * `internal` if one is missing.
 */
export function resolveChains(
  settings: readonly ChainSetting[] | null,
): ReadonlyMap<number, ChainDefinition> {
  const chains = settings === null ? knownChains : settings.map(resolveChain);
  return new Map(chains.map((chain) => [chain.chainId, chain]));
}

function resolveChain(setting: ChainSetting): ChainDefinition {
  const known = knownChains.find((chain) => chain.chainId === setting.chain_id);
  if (known !== undefined) {
    const { maxLogBlocks: _ofPublicNodes, ...others } = known;
    return setting.rpc_urls === undefined ? known : { ...others, rpcUrls: setting.rpc_urls };
  }
  const { name, key, native, rpc_urls: rpcUrls } = setting;
  if (name === undefined || key === undefined || native === undefined || rpcUrls === undefined) {
    throw new AppError(
      "internal",
      `configuration: CHAINS: chain ${setting.chain_id} needs name, key, native and rpc_urls`,
    );
  }
  return {
    chainId: setting.chain_id,
    name,
    key,
    explorer: (setting.explorer ?? "").replace(/\/$/, ""),
    native,
    wrappedNative: setting.wrapped_native ?? null,
    rpcUrls,
    confirmations: setting.confirmations ?? 1,
  };
}
