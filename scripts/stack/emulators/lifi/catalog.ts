import { numberToHex } from "viem";
import { type BridgeChain, type BridgeChains, isNative } from "../../bridge/bridge-chains.ts";
import { bridgeTools } from "./bridge-plan.ts";
import { chainNamed } from "./parse-request.ts";
import { EXCHANGE_TOOL } from "./route-plan.ts";
import { describeToken, describeTool } from "./wire-format.ts";

type Query = Readonly<Record<string, unknown>>;

/** Parses a comma-separated list of chains; all of them when absent. Throws `1011`. */
function chainsOf(bridgeChains: BridgeChains, { chains }: Query): BridgeChain[] {
  if (typeof chains !== "string" || chains === "") return [...bridgeChains.values()];
  return chains.split(",").map((reference) => chainNamed(bridgeChains, reference));
}

/** Returns the response of `GET /tools`: the exchange and every bridge, on the requested chains. Throws `1011`. */
export function listTools(bridgeChains: BridgeChains, query: Query): unknown {
  const chains = chainsOf(bridgeChains, query);
  const pairs = chains.flatMap((from) =>
    [...bridgeChains.values()]
      .filter((to) => to !== from)
      .map((to) => ({ fromChainId: from.chainId, toChainId: to.chainId })),
  );
  return {
    exchanges: [{ ...describeTool(EXCHANGE_TOOL), supportedChains: chains.map(({ chainId }) => chainId) }],
    bridges: bridgeTools.map((tool) => ({ ...describeTool(tool), supportedChains: pairs })),
  };
}

/** Returns the response of `GET /tokens`: the tokens of the requested chains, by chain id. Throws `1011`. */
export function listTokens(bridgeChains: BridgeChains, query: Query): unknown {
  const entries = chainsOf(bridgeChains, query).map(({ chainId, tokens }) => [
    chainId,
    tokens.map(describeToken),
  ]);
  return { tokens: Object.fromEntries(entries) };
}

/** Returns the response of `GET /chains`; empty if other types of chains than EVM are requested. */
export function listChains(bridgeChains: BridgeChains, { chainTypes }: Query): unknown {
  const wanted = typeof chainTypes !== "string" || chainTypes.split(",").includes("EVM");
  return { chains: wanted ? [...bridgeChains.values()].map(describeChain) : [] };
}

function describeChain(chain: BridgeChain): unknown {
  const { chainId, key, name, multicall3, url, contracts, tokens } = chain;
  const native = tokens.find(isNative);
  return {
    key,
    chainType: "EVM",
    name,
    coin: "ETH",
    id: chainId,
    mainnet: false,
    logoURI: "",
    ...(multicall3 === null ? {} : { multicallAddress: multicall3 }),
    relayerSupported: false,
    metamask: {
      chainId: numberToHex(chainId),
      blockExplorerUrls: [],
      chainName: name,
      nativeCurrency: { name: "ETH", symbol: "ETH", decimals: 18 },
      rpcUrls: [url],
    },
    ...(native === undefined ? {} : { nativeToken: describeToken(native) }),
    diamondAddress: contracts.diamond,
  };
}
