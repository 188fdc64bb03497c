import type { Address } from "viem";
import { knownChains } from "../../chains/chain-definitions.ts";
import { AppError } from "../../errors.ts";

/** Velora on one chain: the contract that its transactions call. */
export interface VeloraDeployment {
  chainId: number;
  /** Augustus V6.2, which users approve. */
  router: Address;
}

/** Velora's deployments by chain id. */
export type VeloraDeployments = ReadonlyMap<number, VeloraDeployment>;

/**
 * Address of Augustus V6.2, the same on every chain. Source: Velora's list of contracts, paraswap-dex-lib `config.ts`.
 */
const AUGUSTUS: Address = "0x6A000F20005980200259B80c5102003040001068";

/**
 * Ids of the chains on which Velora is used: those that it serves and KyberSwap does not. Where both do, only KyberSwap
 * is used. Source: Velora's SDK, supported chains.
 */
const servedChainIds: readonly number[] = [100];

/**
 * Returns Velora's deployments in code together with `extra` ones, by chain id. Throws `internal` if an extra one names
 * a chain that is defined in code, or if two name the same, so that no setting can replace a router.
 */
export function resolveVeloraDeployments(extra: readonly VeloraDeployment[]): VeloraDeployments {
  const known = new Set(knownChains.map(({ chainId }) => chainId));
  const all = new Map(servedChainIds.map((chainId) => [chainId, { chainId, router: AUGUSTUS }]));
  for (const deployment of extra) {
    const { chainId } = deployment;
    if (known.has(chainId) || all.has(chainId))
      throw new AppError("internal", `configuration: the exchange of chain ${chainId} ships in code`);
    all.set(chainId, deployment);
  }
  return all;
}
