import { isAddressEqual } from "viem";
import { isNative } from "../../lib/address.ts";
import { PARTS_PER_BILLION } from "../../lib/amount.ts";
import type { TransferQuote, TransferRequest } from "../provider.ts";
import { noLifiRoute } from "./api/lifi-errors.ts";
import { hasStargatePool } from "./bridge-contracts.ts";
import type { LifiDeployment, LifiDeployments } from "./deployments.ts";
import { type BridgeFacet, type LifiBridge, lifiBridges } from "./lifi-bridges.ts";
import type { LifiContext } from "./lifi-context.ts";

interface PairDeployments {
  source: LifiDeployment;
  destination: LifiDeployment;
}

/** What decides which tools can serve a move. */
type ToolQuery = Pick<TransferRequest, "fromChainId" | "toChainId" | "toToken" | "bridges"> & {
  /** Null: it ends with the user. */
  call: TransferRequest["call"] | "any";
};

/** How a tool can end a move: with a call, with the user, or either way. */
export function toolDeliveryModes(
  deployments: LifiDeployments,
  asked: { request: TransferRequest; tool: string },
): Pick<TransferQuote, "callable" | "plain"> {
  const { request, tool } = asked;
  return {
    callable: toolsFor(deployments, { ...request, call: "any" }).includes(tool),
    plain: toolsFor(deployments, { ...request, call: null }).includes(tool),
  };
}

/**
 * LI.FI's keys of the tools to ask for: those of the bridges wanted that the chains have, that can deliver the
 * token, and whose calldata can be verified. Empty when there is none.
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

const canDeliver: Record<BridgeFacet, (ends: PairDeployments, request: ToolQuery) => boolean> = {
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
  celer: (ends, request) => ends.destination.bridges.includes("celer") && mintsUsdc(ends, request),
  polymer: (ends, request) => ends.destination.bridges.includes("polymer") && mintsUsdc(ends, request),
};

function mintsUsdc({ source, destination }: PairDeployments, request: ToolQuery): boolean {
  if (source.circle === null || destination.circle === null) return false;
  return isAddressEqual(request.toToken, destination.circle.usdc);
}

/**
 * Nine tenths of the loss that is allowed, as a fraction of six decimals rounded down: LI.FI takes it off a
 * swap before the flat fee of a bridge, and the rest leaves room for that fee within the whole.
 */
export function lifiSlippage(request: TransferRequest): number {
  return Number((request.slippage * 900_000n) / PARTS_PER_BILLION) / 1_000_000;
}

/**
 * The tools a request may use; null on one chain, where it names none.
 * Throws `no_route` when nothing we can verify serves it.
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
