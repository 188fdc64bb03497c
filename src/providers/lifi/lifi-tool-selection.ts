import { isAddressEqual } from "viem";
import { isNative } from "../../lib/address.ts";
import { PARTS_PER_BILLION } from "../../lib/amount.ts";
import type { TransferQuote, TransferRequest } from "../provider.ts";
import { noLifiRoute } from "./api/lifi-errors.ts";
import { hasStargatePool } from "./bridge-proof/stargate-and-cctp-contracts.ts";
import { type BridgeFacet, type LifiBridge, lifiBridges } from "./lifi-bridges.ts";
import type { LifiContext } from "./lifi-context.ts";
import type { LifiDeployments, PairDeployments } from "./lifi-deployments.ts";

/** The part of a transfer request that determines which LI.FI tools can serve it. */
type ToolQuery = Pick<TransferRequest, "fromChainId" | "toChainId" | "toToken" | "bridges"> & {
  /**
   * The destination call; null for a delivery to the user, "any" for a destination call that is not known
   * yet.
   */
  call: TransferRequest["call"] | "any";
};

/**
 * Returns LI.FI's keys of the verifiable tools that can serve a request: tools of allowed bridges whose facet exists on
 * the source chain and that can deliver the token on the destination chain. Empty if there are none.
 */
export function toolsFor(deployments: LifiDeployments, request: ToolQuery): string[] {
  const source = deployments.get(request.fromChainId);
  const destination = deployments.get(request.toChainId);
  if (source === undefined || destination === undefined) return [];
  const wanted = lifiBridges.filter(
    (bridge) => (request.bridges?.includes(bridge.key) ?? true) && mayCall(bridge, request),
  );
  return wanted.flatMap((bridge) =>
    Object.entries(bridge.tools)
      .filter(([, facet]) => source.bridges.includes(facet))
      .filter(([, facet]) => canDeliver[facet]({ source, destination }, request))
      .map(([tool]) => tool),
  );
}

function mayCall(bridge: LifiBridge, request: ToolQuery): boolean {
  return request.call === null || bridge.destinationCall;
}

/**
 * For each facet, a function that returns true if the facet can deliver the requested token on the destination chain:
 * to the user or, if the request has a call, into the call.
 */
const canDeliver: Record<BridgeFacet, (pair: PairDeployments, request: ToolQuery) => boolean> = {
  across: ({ destination }, request) => {
    const native = isNative(request.toToken);
    if (request.call !== null) return !native && destination.receiverAcross !== null;
    if (destination.wrappedNative === null) return !native;
    return native || !isAddressEqual(request.toToken, destination.wrappedNative);
  },
  stargate: ({ destination }, request) => {
    if (!hasStargatePool(destination.stargate, request.toToken)) return false;
    if (request.call === null) return true;
    return destination.receiverStargate !== null && !isNative(request.toToken);
  },
  celer: (pair, request) => pair.destination.bridges.includes("celer") && deliversUsdc(pair, request),
  polymer: (pair, request) => pair.destination.bridges.includes("polymer") && deliversUsdc(pair, request),
};

function deliversUsdc({ source, destination }: PairDeployments, request: ToolQuery): boolean {
  if (source.circle === null || destination.circle === null) return false;
  return isAddressEqual(request.toToken, destination.circle.usdc);
}

/** Returns whether a LI.FI tool can deliver the requested token into a destination call, and whether to the user. */
export function toolDeliveryModes(
  deployments: LifiDeployments,
  asked: { request: TransferRequest; tool: string },
): Pick<TransferQuote, "supportsCall" | "supportsPlain"> {
  const { request, tool } = asked;
  return {
    supportsCall: toolsFor(deployments, { ...request, call: "any" }).includes(tool),
    supportsPlain: toolsFor(deployments, { ...request, call: null }).includes(tool),
  };
}

/**
 * Returns the LI.FI tools that may serve a transfer to another chain, or null for a transfer on one chain, where LI.FI
 * chooses the exchange. Throws `no_route` if the request cannot be served.
 */
export function requestedTools(context: LifiContext, request: TransferRequest): string[] | null {
  const { deployments } = context;
  const { fromChainId, toChainId, fromToken, toToken, call } = request;
  if (!deployments.has(fromChainId) || !deployments.has(toChainId)) throw noLifiRoute(["bridge_unavailable"]);
  if (call !== null && isNative(toToken)) throw noLifiRoute(["request_refused"]);
  if (fromChainId === toChainId) {
    if (call === null && isAddressEqual(fromToken, toToken)) throw noLifiRoute(["request_refused"]);
    return null;
  }
  const tools = toolsFor(deployments, request);
  if (tools.length === 0) throw noLifiRoute(["bridge_unavailable"]);
  return tools;
}

/**
 * Returns the slippage to send to LI.FI, as a fraction rounded down to six decimals: 90% of the request's.
 * LI.FI applies it before it deducts a bridge's flat fee; the rest leaves room for that fee.
 */
export function lifiSlippage(request: TransferRequest): number {
  return Number((request.slippage * 900_000n) / PARTS_PER_BILLION) / 1_000_000;
}
