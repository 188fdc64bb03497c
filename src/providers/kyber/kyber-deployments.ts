import type { Address } from "viem";
import { knownChains } from "../../chains/chain-definitions.ts";
import { AppError } from "../../errors.ts";

/** KyberSwap on one chain: the chain's name in its API, and the contract that its transactions call. */
export interface KyberDeployment {
  chainId: number;
  /** The chain's name in the path of the API. */
  slug: string;
  /** MetaAggregationRouterV2, which users approve. */
  router: Address;
}

/** KyberSwap's deployments by chain id. */
export type KyberDeployments = ReadonlyMap<number, KyberDeployment>;

/** Address of MetaAggregationRouterV2, the same on every chain of the table below. */
const ROUTER: Address = "0x6131B5fae19EA4f9D964eAc0408E4408b66337b5";

/**
 * Names in KyberSwap's API of the chains on which it swaps, by chain id. KyberSwap does not serve Gnosis and Katana.
 * Source: docs.kyberswap.com, aggregator contract addresses and supported chains.
 */
const slugs: Readonly<Record<number, string>> = {
  1: "ethereum",
  10: "optimism",
  56: "bsc",
  130: "unichain",
  137: "polygon",
  143: "monad",
  146: "sonic",
  999: "hyperevm",
  8453: "base",
  9745: "plasma",
  42161: "arbitrum",
  43114: "avalanche",
  59144: "linea",
};

/**
 * Returns KyberSwap's deployments in code together with `extra` ones, by chain id. Throws `internal` if an extra one
 * names a chain that is defined in code or two name the same, so that no setting can replace a router.
 */
export function resolveKyberDeployments(extra: readonly KyberDeployment[]): KyberDeployments {
  const known = new Set(knownChains.map(({ chainId }) => chainId));
  const all = new Map(
    Object.entries(slugs).map(([id, slug]) => {
      const chainId = Number(id);
      return [chainId, { chainId, slug, router: ROUTER }];
    }),
  );
  for (const deployment of extra) {
    const { chainId } = deployment;
    if (known.has(chainId) || all.has(chainId))
      throw new AppError("internal", `configuration: the exchange of chain ${chainId} ships in code`);
    all.set(chainId, deployment);
  }
  return all;
}
