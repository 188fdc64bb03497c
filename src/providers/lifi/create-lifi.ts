import type { Address } from "viem";
import { AppError } from "../../errors.ts";
import { isNativeAlias } from "../../lib/address.ts";
import type { Capabilities, ListedToken, MoveRequest, Provider, ProviderScope } from "../provider.ts";
import { bridges } from "./bridges.ts";
import { buildMove } from "./build.ts";
import { listBridges, listMovedDiamonds, listTokens, type OfferedBridge } from "./catalog.ts";
import { createLifiClient } from "./client.ts";
import { chainsWith, type LifiDeployments, resolveDeployments } from "./deployments.ts";
import type { LifiContext } from "./lifi-context.ts";
import { PROVIDER_NAME } from "./option.ts";
import { quoteMove } from "./quote.ts";
import type { RateMemory } from "./rate-memory.ts";
import { moveStatus } from "./status.ts";
import { witnessMove } from "./witness/witness.ts";

export interface LifiOptions {
  /** `https://li.quest/v1`, or where an emulator speaks the same API. */
  apiUrl: string;
  apiKey: string | null;
  /** At most 23 of `[A-Za-z0-9._-]`; written on chain. */
  integrator: string;
  /** What this isolate remembers of LI.FI's rate limits. */
  memory: RateMemory;
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
  const deployments = resolveDeployments(options.deployments ?? new Map());
  const context: LifiContext = { client: createLifiClient(options), deployments, integrator };
  const capabilities = describe(deployments);
  return {
    name: PROVIDER_NAME,
    capabilities: () => capabilities,
    spenders: (request) => spendersOf(deployments, request),
    quote: (scope, request) => quoteMove(context, { scope, request }),
    build: (scope, request) => buildMove(context, { scope, request }),
    status: async (scope, transfer) => {
      const told = await moveStatus(context, { scope, transfer });
      return witnessMove(scope, { deployments, transfer, told });
    },
    bridges: (scope) => listBridges(context, scope),
    tokens: (scope, chainId) => listTokens(context, { scope, chainId }),
    movedDiamonds: (scope) => listMovedDiamonds(context, scope),
  };
}

/** A contract call on one chain pulls through the Executor's proxy; all else is taken by the Diamond. */
function spendersOf(deployments: LifiDeployments, request: MoveRequest): Address[] {
  const source = deployments.get(request.fromChainId);
  if (source === undefined || isNativeAlias(request.fromToken)) return [];
  const onOneChain = request.fromChainId === request.toChainId;
  return onOneChain ? [source.diamond, source.erc20Proxy] : [source.diamond];
}

function describe(deployments: LifiDeployments): Capabilities {
  const listed = bridges.map(({ key, name, tools }) => {
    const chains = Object.values(tools).flatMap((facet) => chainsWith(deployments, facet));
    return { key, name, chains: [...new Set(chains)].sort((a, b) => a - b) };
  });
  return { bridges: listed, swaps: true, destinationCall: true };
}
