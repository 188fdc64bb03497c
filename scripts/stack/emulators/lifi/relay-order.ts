import { decodeFunctionData, encodeFunctionData, type Hex, keccak256, parseAbi } from "viem";
import { diamondAbi } from "#stand-ins/lifi";

/** RelayDepositoryFacet, which the local Diamond does not have: the service must refuse the calldata. */
const relayAbi = parseAbi([
  "struct BridgeData { bytes32 transactionId; string bridge; string integrator; address referrer; address sendingAssetId; address receiver; uint256 minAmount; uint256 destinationChainId; bool hasSourceSwaps; bool hasDestinationCall; }",
  "struct SwapData { address callTo; address approveTo; address sendingAssetId; address receivingAssetId; uint256 fromAmount; bytes callData; bool requiresDeposit; }",
  "struct RelayDepositoryData { bytes32 orderId; address depositorAddress; }",
  "function swapAndStartBridgeTokensViaRelayDepository(BridgeData bridgeData, SwapData[] swaps, RelayDepositoryData relayData)",
]);
const TOOL = "relaydepository";

/**
 * Replaces a bridge quote's transaction with a payment for an order that Relay keeps off chain; leaves swaps
 * unchanged.
 */
export function asRelayOrder(json: unknown): unknown {
  if (json === null || typeof json !== "object" || !("transactionRequest" in json)) return json;
  const request = json.transactionRequest as { data: Hex; from: Hex };
  const { args } = decodeFunctionData({ abi: diamondAbi, data: request.data });
  const [bridgeData, swaps] = (args ?? []) as readonly unknown[];
  if (typeof bridgeData !== "object" || bridgeData === null || !Array.isArray(swaps)) return json;
  const relayData = { orderId: keccak256(request.data), depositorAddress: request.from };
  const data = encodeFunctionData({
    abi: relayAbi,
    functionName: "swapAndStartBridgeTokensViaRelayDepository",
    args: [{ ...bridgeData, bridge: TOOL } as never, swaps as never, relayData],
  });
  return { ...json, tool: TOOL, transactionRequest: { ...request, data } };
}
