import type { Address } from "viem";
import { knownChains } from "../../chains/known.ts";
import { AppError } from "../../errors.ts";
import {
  type CircleContracts,
  circleContracts,
  type StargateContracts,
  stargateContracts,
} from "./bridge-contracts.ts";
import { type BridgedAsset, bridgedAssets } from "./bridged-assets.ts";
import type { BridgeFacet } from "./bridges.ts";
import { type ContractRow, contractRows } from "./known-contracts.ts";

/** LI.FI's contracts on one chain: the only addresses a transaction of this provider may touch. */
export interface LifiDeployment extends ContractRow {
  /** What native bridging wraps into; null when it is not known for certain. */
  wrappedNative: Address | null;
  /** Tokens that are the same asset on other chains: what a bridge may carry after a swap. */
  assets: readonly BridgedAsset[];
  /** The contracts that move money for a facet of the Diamond; null where there are none. */
  stargate: StargateContracts | null;
  circle: CircleContracts | null;
}

export type LifiDeployments = ReadonlyMap<number, LifiDeployment>;

/** Whom LI.FI's fee step may pay. Seen in every captured quote of 2026, on each chain alike. */
export const feeRecipients: readonly Address[] = ["0xC06ebbefD94032B85424D51906e2A335EFAe264B"];

const known: LifiDeployments = new Map(
  contractRows.map(([chainId, row]) => {
    const wrapped = knownChains.find((chain) => chain.chainId === chainId)?.wrappedNative ?? null;
    const moved = {
      wrappedNative: wrapped,
      assets: bridgedAssets[chainId] ?? [],
      stargate: stargateContracts[chainId] ?? null,
      circle: circleContracts[chainId] ?? null,
    };
    return [chainId, { ...row, ...moved }];
  }),
);

/**
 * The contracts in code, and those of chains that the code does not know (local ones).
 * Throws `internal` when an addition names a chain whose contracts ship in code.
 */
export function resolveDeployments(additions: LifiDeployments): LifiDeployments {
  for (const chainId of additions.keys()) {
    if (!known.has(chainId)) continue;
    throw new AppError("internal", `configuration: the contracts of chain ${chainId} ship in code`);
  }
  return new Map([...known, ...additions]);
}

/** The chains whose Diamond has a facet. */
export function chainsWith(deployments: LifiDeployments, facet: BridgeFacet): number[] {
  return [...deployments].filter(([, row]) => row.bridges.includes(facet)).map(([chainId]) => chainId);
}
