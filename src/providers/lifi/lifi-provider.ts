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
import { createLifiClient } from "./api/lifi-client.ts";
import type { RateLimitMemory } from "./api/rate-limits.ts";
import { addBridgeProof } from "./bridge-proof/bridge-proof.ts";
import { chainsWithFacet, type LifiDeployments, resolveLifiDeployments } from "./deployments.ts";
import { lifiBridges } from "./lifi-bridges.ts";
import { buildLifiTransfer } from "./lifi-build.ts";
import { listChangedDiamonds, listLifiBridges, listLifiTokens, type OfferedBridge } from "./lifi-catalog.ts";
import type { LifiContext } from "./lifi-context.ts";
import { quoteLifiTransfer } from "./lifi-quote.ts";
import { fetchLifiStatus } from "./lifi-status.ts";
import { LIFI_KEY } from "./quote-from-step.ts";

export interface LifiOptions {
  /** `https://li.quest/v1`, or where an emulator speaks the same API. */
  apiUrl: string;
  apiKey: string | null;
  /** At most 23 of `[A-Za-z0-9._-]`; written on chain. */
  integrator: string;
  /** What this isolate remembers of LI.FI's rate limits. */
  memory: RateLimitMemory;
  /** LI.FI's contracts on chains that the code does not know. */
  deployments?: LifiDeployments;
}

/** LI.FI with the lists it keeps beyond what every provider does. */
export interface LifiProvider extends Provider {
  bridges(scope: ProviderScope): Promise<OfferedBridge[]>;
  tokens(scope: ProviderScope, chainId: number): Promise<ListedToken[]>;
  /** Chain ids whose Diamond is no longer the one in code. */
  movedDiamonds(scope: ProviderScope): Promise<number[]>;
}

/**
 * Makes the LI.FI provider. Throws `internal` for an integrator name LI.FI would refuse, and for additions
 * that name a chain whose contracts ship in code.
 */
export function createLifi(options: LifiOptions): LifiProvider {
  const { integrator } = options;
  if (!/^[A-Za-z0-9._-]{1,23}$/.test(integrator)) {
    throw new AppError("internal", "configuration: the integrator name has more than 23 or other characters");
  }
  const deployments = resolveLifiDeployments(options.deployments ?? new Map());
  const context: LifiContext = { client: createLifiClient(options), deployments, integrator };
  const capabilities = lifiCapabilities(deployments);
  return {
    name: LIFI_KEY,
    capabilities: () => capabilities,
    spenders: (request) => spendersOf(deployments, request),
    quote: (scope, request) => quoteLifiTransfer(context, { scope, request }),
    build: (scope, request) => buildLifiTransfer(context, { scope, request }),
    status: async (scope, transfer) => {
      const told = await fetchLifiStatus(context, { scope, transfer });
      return addBridgeProof(scope, { deployments, transfer, told });
    },
    bridges: (scope) => listLifiBridges(context, scope),
    tokens: (scope, chainId) => listLifiTokens(context, { scope, chainId }),
    movedDiamonds: (scope) => listChangedDiamonds(context, scope),
  };
}

/** A contract call on one chain pulls through the Executor's proxy; all else is taken by the Diamond. */
function spendersOf(deployments: LifiDeployments, request: TransferRequest): Address[] {
  const source = deployments.get(request.fromChainId);
  if (source === undefined || isNativeAlias(request.fromToken)) return [];
  const onOneChain = request.fromChainId === request.toChainId;
  return onOneChain ? [source.diamond, source.erc20Proxy] : [source.diamond];
}

function lifiCapabilities(deployments: LifiDeployments): ProviderCapabilities {
  const listed = lifiBridges.map(({ key, name, tools }) => {
    const chains = Object.values(tools).flatMap((facet) => chainsWithFacet(deployments, facet));
    return { key, name, chains: [...new Set(chains)].sort((a, b) => a - b) };
  });
  return { bridges: listed, swaps: true, destinationCall: true };
}
