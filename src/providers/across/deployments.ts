import type { Address } from "viem";
import { knownChains } from "../../chains/known.ts";
import { AppError } from "../../errors.ts";
import { sameAddress } from "../../lib/address.ts";
import { type BridgedToken, bridgedTokens } from "./tokens.ts";

/** Across on one chain: whom we send money to, whom we let make calls, and which tokens are which asset. */
export interface Deployment {
  chainId: number;
  spokePool: Address;
  /** Null where no address is certain: then no destination call can be made there. */
  multicallHandler: Address | null;
  /** What the SpokePool wraps native into; null: no native source. */
  wrappedNative: Address | null;
  tokens: readonly BridgedToken[];
}

const HANDLER = "0x0F7Ae28dE1C8532170AD4ee566B5801485c13a0E";
const OP_STACK_WETH = "0x4200000000000000000000000000000000000006";

/**
 * The chains on which the SpokePool and the handler are known for certain.
 * Sources: across-protocol/contracts `broadcast/deployed-addresses.json` and the API's overrides (2026).
 */
export const knownDeployments: readonly Deployment[] = [
  {
    chainId: 1,
    spokePool: "0x5c7BCd6E7De5423a257D81B442095A1a6ced35C5",
    multicallHandler: HANDLER,
    wrappedNative: "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
    tokens: bridgedTokens(1),
  },
  {
    chainId: 10,
    spokePool: "0x6f26Bf09B1C792e3228e5467807a900A503c0281",
    multicallHandler: HANDLER,
    wrappedNative: OP_STACK_WETH,
    tokens: bridgedTokens(10),
  },
  {
    chainId: 137,
    spokePool: "0x9295ee1d8C5b022Be115A2AD3c30C72E34e7F096",
    multicallHandler: HANDLER,
    wrappedNative: "0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270",
    tokens: bridgedTokens(137),
  },
  {
    chainId: 8453,
    spokePool: "0x09aea4b2242abC8bb4BB78D537A67a245A7bEC64",
    multicallHandler: HANDLER,
    wrappedNative: OP_STACK_WETH,
    tokens: bridgedTokens(8453),
  },
  {
    chainId: 42161,
    spokePool: "0xe35e9842fceaCA96570B734083f4a58e8F7C5f2A",
    multicallHandler: HANDLER,
    wrappedNative: "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1",
    tokens: bridgedTokens(42161),
  },
  onlyFollowed(56, "0x4e8E101924eDE233C13e2D8622DC8aED2872d505"),
  onlyFollowed(143, "0xd2ecb3afe598b746F8123CaE365a598DA831A449"),
  onlyFollowed(999, "0x35E63eA3eb0fb7A3bc543C71FB66412e1F6B0E04"),
];

/**
 * A chain to and from which we build nothing ourselves, as no token of it is known to be which asset, but on which
 * others may use the bridge: without its SpokePool nobody could tell that what they sent has arrived.
 */
function onlyFollowed(chainId: number, spokePool: Address): Deployment {
  return { chainId, spokePool, multicallHandler: null, wrappedNative: null, tokens: [] };
}

export type Deployments = ReadonlyMap<number, Deployment>;

/**
 * The known deployments and `extra` ones, by chain id. Throws `internal` when an extra one names a chain
 * that the code knows: no setting may replace an address that ships in code.
 */
export function resolveDeployments(extra: readonly Deployment[]): Deployments {
  const known = new Set(knownChains.map(({ chainId }) => chainId));
  const all = new Map(knownDeployments.map((deployment) => [deployment.chainId, deployment]));
  for (const deployment of extra) {
    const { chainId } = deployment;
    if (known.has(chainId) || all.has(chainId))
      throw new AppError("internal", `configuration: the bridge of chain ${chainId} ships in code`);
    all.set(chainId, deployment);
  }
  return all;
}

/** The asset a token of a chain stands for; null when it is none we know. */
export function tokenOf(deployment: Deployment, address: Address): BridgedToken | null {
  return deployment.tokens.find((token) => sameAddress(token.address, address)) ?? null;
}
