import { isAddressEqual, zeroAddress } from "viem";
import { bridgeOfTool } from "../bridges.ts";
import type { BridgeCall } from "../decode/registry.ts";
import { guaranteeOfAcross } from "./across.ts";
import { guaranteeOfCeler, guaranteeOfPolymer } from "./cctp.ts";
import { guaranteeOfStargate } from "./stargate.ts";
import { must, type Subject } from "./subject.ts";
import { checkSwaps } from "./swaps.ts";

/**
 * Checks a bridging and gives the least that it delivers, smallest unit of the token asked for.
 * Throws `upstream_rejected`.
 */
export function guaranteeOfBridge(subject: Subject, call: BridgeCall): bigint {
  const { request, claim } = subject;
  must(request.fromChainId !== request.toChainId, "selector");
  // Receiver, token and amount of Relay's order are kept off chain; see decode/relay.ts.
  must(call.kind !== "relay", "relay.orderId");
  const tool = bridgeOfTool(claim.tool);
  must(tool?.facet === call.kind, "tool");
  must(subject.source.bridges.includes(tool.facet), "tool");
  if (request.bridges !== null) must(request.bridges.includes(tool.bridge.key), "tool");
  checkBridgeData(subject, call);
  switch (call.kind) {
    case "across":
      return guaranteeOfAcross(subject, call);
    case "stargate":
      return guaranteeOfStargate(subject, call);
    case "celer":
      return guaranteeOfCeler(subject, call);
    case "polymer":
      return guaranteeOfPolymer(subject, call);
  }
}

function checkBridgeData(subject: Subject, call: BridgeCall): void {
  const { request, claim } = subject;
  const { bridge, swaps } = call;
  must(bridge.transactionId === claim.transactionId, "bridge.transactionId");
  must(bridge.bridge === claim.tool, "bridge.bridge");
  must(bridge.integrator === subject.integrator, "bridge.integrator");
  must(isAddressEqual(bridge.referrer, zeroAddress), "bridge.referrer");
  must(isAddressEqual(bridge.receiver, request.user), "bridge.receiver");
  must(bridge.destinationChainId === BigInt(request.toChainId), "bridge.destinationChainId");
  must(bridge.hasDestinationCall === (request.call !== null), "bridge.hasDestinationCall");
  must(bridge.hasSourceSwaps === (swaps !== null), "bridge.hasSourceSwaps");
  must(swaps === null || swaps.length > 0, "swaps.length");
  const end = checkSwaps(subject, swaps ?? []);
  must(isAddressEqual(bridge.sendingAssetId, end.token), "bridge.sendingAssetId");
  if (end.exact !== null) must(bridge.minAmount === end.exact, "bridge.minAmount");
}
