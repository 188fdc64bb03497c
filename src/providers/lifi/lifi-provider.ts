import type { Address } from "viem";
import { AppError } from "../../errors.ts";
import { isNativeAlias } from "../../lib/address.ts";
import type {
  ListedToken,
  Provider,
  ProviderCapabilities,
  ProviderScope,
  TransferRequest,
} from "../provider.ts";
import type { BridgedAsset } from "../provider-bridged-assets.ts";
import { createLifiClient } from "./api/lifi-client.ts";
import type { RateLimitMemory } from "./api/lifi-rate-limits.ts";
import { addBridgeProof } from "./bridge-proof/lifi-bridge-proof.ts";
import { lifiEvents } from "./bridge-proof/lifi-events.ts";
import { lifiBridges } from "./lifi-bridges.ts";
import { buildLifiTransfer } from "./lifi-build.ts";
import { listChangedDiamonds, listLifiBridges, listLifiTokens, type OfferedBridge } from "./lifi-catalog.ts";
import type { LifiContext } from "./lifi-context.ts";
import {
  chainsWithFacet,
  type LifiDeployment,
  type LifiDeployments,
  resolveLifiDeployments,
} from "./lifi-deployments.ts";
import { quoteLifiTransfer } from "./lifi-quote.ts";
import { LIFI_KEY } from "./lifi-quote-from-step.ts";
import { fetchLifiStatus } from "./lifi-status.ts";

/** Decimals of Circle's native USDC on every chain. */
const USDC_DECIMALS = 6;

/** Options of the LI.FI provider. */
export interface LifiOptions {
  /** Base URL of the API: `https://li.quest/v1`, or an emulator of it. */
  apiUrl: string;
  /** Sent to LI.FI as `x-lifi-api-key`; null for requests without a key. */
  apiKey: string | null;
  /**
   * The integrator name that is sent to LI.FI and written into calldata: 1 to 23 characters of
   * `[A-Za-z0-9._-]`.
   */
  integrator: string;
  /** The rate limits that LI.FI has reported to this isolate. */
  rateLimits: RateLimitMemory;
  /** Deployments on chains that are not defined in code, such as local ones. */
  deployments?: LifiDeployments;
}

/**
 * The LI.FI provider, with access to LI.FI's current lists of bridges, tokens and contracts. The methods for these
 * lists throw the errors of `Provider` except `no_route`.
 */
export interface LifiProvider extends Provider {
  /** Requests the verifiable bridges that LI.FI currently offers, with the chain pairs that they connect. */
  bridges(scope: ProviderScope): Promise<OfferedBridge[]>;
  tokens(scope: ProviderScope, chainId: number): Promise<ListedToken[]>;
  /** Returns the ids of chains for which LI.FI now states a Diamond contract other than the known one. */
  changedDiamonds(scope: ProviderScope): Promise<number[]>;
}

/**
 * Creates the LI.FI provider, which bridges, swaps and makes destination calls. Throws `internal` if the integrator
 * name is invalid, or if a deployment in the options names a chain that is defined in code.
 */
export function createLifi(options: LifiOptions): LifiProvider {
  const { integrator } = options;
  if (!/^[A-Za-z0-9._-]{1,23}$/.test(integrator)) {
    throw new AppError(
      "internal",
      "configuration: the integrator name must have 1 to 23 characters of [A-Za-z0-9._-]",
    );
  }
  const deployments = resolveLifiDeployments(options.deployments ?? new Map());
  const context: LifiContext = { client: createLifiClient(options), deployments, integrator };
  const capabilities = lifiCapabilities(deployments);
  return {
    name: LIFI_KEY,
    capabilities: () => capabilities,
    spenders: (request) => spendersOf(deployments, request),
    assets: (chainId) => assetsOf(deployments.get(chainId)),
    quote: (scope, request) => quoteLifiTransfer(context, { scope, request }),
    build: (scope, request) => buildLifiTransfer(context, { scope, request }),
    status: async (scope, transfer) => {
      const status = await fetchLifiStatus(context, { scope, transfer });
      return addBridgeProof(scope, { deployments, transfer, status });
    },
    events: (chainId) => lifiEvents(deployments.get(chainId)),
    bridges: (scope) => listLifiBridges(context, scope),
    tokens: (scope, chainId) => listLifiTokens(context, { scope, chainId }),
    changedDiamonds: (scope) => listChangedDiamonds(context, scope),
  };
}

/**
 * Returns the addresses that the user may have to approve: the Diamond and, on one chain, the proxy of the Executor.
 * Empty if the source token is native or the chain has no deployment.
 */
function spendersOf(deployments: LifiDeployments, request: TransferRequest): Address[] {
  const source = deployments.get(request.fromChainId);
  if (source === undefined || isNativeAlias(request.fromToken)) return [];
  const onOneChain = request.fromChainId === request.toChainId;
  return onOneChain ? [source.diamond, source.erc20Proxy] : [source.diamond];
}

/**
 * Returns the bridgeable tokens of a chain with their assets: those in the asset tables, in Stargate's pools and of
 * CCTP.
 */
function assetsOf(deployment: LifiDeployment | undefined): BridgedAsset[] {
  if (deployment === undefined) return [];
  const { assets, stargate, circle } = deployment;
  return [
    ...assets,
    ...(stargate?.pools ?? []).map(({ assetId, token, decimals }) => ({
      asset: `stargate:${assetId}`,
      address: token,
      decimals,
    })),
    ...(circle === null ? [] : [{ asset: "circle:usdc", address: circle.usdc, decimals: USDC_DECIMALS }]),
  ];
}

function lifiCapabilities(deployments: LifiDeployments): ProviderCapabilities {
  const listed = lifiBridges.map(({ key, name, tools }) => {
    const chains = Object.values(tools).flatMap((facet) => chainsWithFacet(deployments, facet));
    return { key, name, chains: [...new Set(chains)].sort((a, b) => a - b) };
  });
  return { bridges: listed, swaps: true, destinationCall: true };
}
