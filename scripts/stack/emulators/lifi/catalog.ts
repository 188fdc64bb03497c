import { numberToHex } from "viem";
import { type BridgeChain, isNative, type World } from "../../bridge/world.ts";
import { bridgeTools } from "./bridge-plan.ts";
import { describeToken, describeTool } from "./describe.ts";
import { EXCHANGE_TOOL } from "./plan.ts";
import { chainNamed } from "./request.ts";

type Query = Readonly<Record<string, unknown>>;

/** Parses a comma-separated list of chains; all of them when absent. Throws `1011`. */
function chainsOf(world: World, { chains }: Query): BridgeChain[] {
  if (typeof chains !== "string" || chains === "") return [...world.values()];
  return chains.split(",").map((reference) => chainNamed(world, reference));
}

/** `GET /tools`. */
export function listTools(world: World, query: Query): unknown {
  const chains = chainsOf(world, query);
  const pairs = chains.flatMap((from) =>
    [...world.values()]
      .filter((to) => to !== from)
      .map((to) => ({ fromChainId: from.chainId, toChainId: to.chainId })),
  );
  return {
    exchanges: [{ ...describeTool(EXCHANGE_TOOL), supportedChains: chains.map(({ chainId }) => chainId) }],
    bridges: bridgeTools.map((tool) => ({ ...describeTool(tool), supportedChains: pairs })),
  };
}

/** `GET /tokens`. */
export function listTokens(world: World, query: Query): unknown {
  const entries = chainsOf(world, query).map(({ chainId, tokens }) => [chainId, tokens.map(describeToken)]);
  return { tokens: Object.fromEntries(entries) };
}

/** `GET /chains`: all local chains are EVM chains. */
export function listChains(world: World, { chainTypes }: Query): unknown {
  const wanted = typeof chainTypes !== "string" || chainTypes.split(",").includes("EVM");
  return { chains: wanted ? [...world.values()].map(describeChain) : [] };
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
