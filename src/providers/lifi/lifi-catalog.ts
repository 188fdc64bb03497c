import { parseAddress, sameAddress } from "../../lib/address.ts";
import type { ListedToken, ProviderScope } from "../provider.ts";
import { QUOTE_TIMEOUT_MS } from "./api/lifi-client.ts";
import { LifiChains, LifiTokens, LifiTools } from "./api/lifi-schemas.ts";
import { bridgeOfTool } from "./lifi-bridges.ts";
import type { LifiContext } from "./lifi-context.ts";

/**
 * A verifiable bridge, by its key and name in `GET /v1/bridges`, with the pairs of source and destination chain for
 * which LI.FI currently offers it.
 */
export interface OfferedBridge {
  key: string;
  name: string;
  routes: readonly { fromChainId: number; toChainId: number }[];
}

/**
 * Requests the verifiable bridges that LI.FI currently offers, with the chain pairs that they connect. Throws
 * `rate_limited`, `upstream_rejected`, `upstream_unavailable` or `upstream_timeout`. Source: LI.FI `GET /tools`.
 */
export async function listLifiBridges(context: LifiContext, scope: ProviderScope): Promise<OfferedBridge[]> {
  const answer = await context.client.ask(scope, {
    family: "other",
    path: "/tools",
    timeoutMs: QUOTE_TIMEOUT_MS,
    schema: LifiTools,
  });
  const offered = new Map<string, OfferedBridge>();
  for (const tool of answer.bridges) {
    const bridge = bridgeOfTool(tool.key)?.bridge;
    if (bridge === undefined) continue;
    const known = offered.get(bridge.key)?.routes ?? [];
    offered.set(bridge.key, {
      key: bridge.key,
      name: bridge.name,
      routes: [...known, ...tool.supportedChains.filter((pair) => !known.some(isSamePair(pair)))],
    });
  }
  return [...offered.values()];
}

type ChainPair = OfferedBridge["routes"][number];

const isSamePair =
  (pair: ChainPair) =>
  (other: ChainPair): boolean =>
    other.fromChainId === pair.fromChainId && other.toChainId === pair.toChainId;

/**
 * Requests the tokens that LI.FI supports on a chain; entries without a valid EVM address are left out. Throws
 * `rate_limited`, `upstream_rejected`, `upstream_unavailable` or `upstream_timeout`. Source: LI.FI `GET /tokens`.
 */
export async function listLifiTokens(
  context: LifiContext,
  input: { scope: ProviderScope; chainId: number },
): Promise<ListedToken[]> {
  const { tokens } = await context.client.ask(input.scope, {
    family: "other",
    path: "/tokens",
    query: { chains: String(input.chainId) },
    timeoutMs: QUOTE_TIMEOUT_MS,
    schema: LifiTokens,
  });
  return Object.values(tokens)
    .flat()
    .flatMap((token) => {
      const address = parseAddress(token.address);
      if (address === null || token.chainId !== input.chainId) return [];
      const { chainId, symbol, decimals, name } = token;
      return [{ chainId, address, symbol, decimals, name: name ?? symbol }];
    });
}

/**
 * Returns the ids of chains for which LI.FI now lists a Diamond contract other than the known one. Throws
 * `rate_limited`, `upstream_rejected`, `upstream_unavailable` or `upstream_timeout`. Source: LI.FI `GET /chains`.
 */
export async function listChangedDiamonds(context: LifiContext, scope: ProviderScope): Promise<number[]> {
  const { chains } = await context.client.ask(scope, {
    family: "other",
    path: "/chains",
    query: { chainTypes: "EVM" },
    timeoutMs: QUOTE_TIMEOUT_MS,
    schema: LifiChains,
  });
  return chains.flatMap(({ id, diamondAddress }) => {
    const pinned = context.deployments.get(id)?.diamond;
    if (pinned === undefined || !diamondAddress) return [];
    return sameAddress(pinned, diamondAddress) ? [] : [id];
  });
}
