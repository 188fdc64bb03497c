import { isAddressEqual } from "viem";
import { isNative } from "../../lib/address.ts";
import type { MoveOption, MoveRequest } from "../provider.ts";
import { paysOut } from "./bridge-contracts.ts";
import { type Bridge, type BridgeFacet, bridges } from "./bridges.ts";
import type { LifiDeployment, LifiDeployments } from "./deployments.ts";

interface Ends {
  source: LifiDeployment;
  destination: LifiDeployment;
}

/** What decides which tools can serve a move. */
type Reach = Pick<MoveRequest, "fromChainId" | "toChainId" | "toToken" | "bridges"> & {
  /** Null: it ends with the user. */
  call: MoveRequest["call"] | "any";
};

/** How a tool can end a move: with a call, with the user, or either way. */
export function endsOf(
  deployments: LifiDeployments,
  asked: { request: MoveRequest; tool: string },
): Pick<MoveOption, "callable" | "plain"> {
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
export function toolsFor(deployments: LifiDeployments, request: Reach): string[] {
  const source = deployments.get(request.fromChainId);
  const destination = deployments.get(request.toChainId);
  if (source === undefined || destination === undefined) return [];
  const wanted = bridges.filter(
    (bridge) => (request.bridges?.includes(bridge.key) ?? true) && mayCall(bridge, request),
  );
  return wanted.flatMap((bridge) =>
    Object.entries(bridge.tools)
      .filter(([, facet]) => source.bridges.includes(facet))
      .filter(([, facet]) => canDeliver[facet]({ source, destination }, request))
      .map(([tool]) => tool),
  );
}

function mayCall(bridge: Bridge, request: Reach): boolean {
  return request.call === null || bridge.destinationCall;
}

const canDeliver: Record<BridgeFacet, (ends: Ends, request: Reach) => boolean> = {
  across: ({ destination }, request) => {
    const native = isNative(request.toToken);
    if (request.call !== null) return !native && destination.receiverAcross !== null;
    if (destination.wrappedNative === null) return !native;
    return native || !isAddressEqual(request.toToken, destination.wrappedNative);
  },
  stargate: ({ destination }, request) => {
    if (!paysOut(destination.stargate, request.toToken)) return false;
    if (request.call === null) return true;
    return destination.receiverStargate !== null && !isNative(request.toToken);
  },
  celer: (ends, request) => ends.destination.bridges.includes("celer") && mintsUsdc(ends, request),
  polymer: (ends, request) => ends.destination.bridges.includes("polymer") && mintsUsdc(ends, request),
};

function mintsUsdc({ source, destination }: Ends, request: Reach): boolean {
  if (source.circle === null || destination.circle === null) return false;
  return isAddressEqual(request.toToken, destination.circle.usdc);
}
