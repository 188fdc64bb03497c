import { type Address, decodeFunctionData, type Hex, isAddressEqual } from "viem";
import { diamondAbi, executorAbi } from "#stand-ins/lifi";
import type { BridgeChain } from "../../bridge/bridge-chains.ts";
import type { NodeTransaction } from "../../bridge/node-requests.ts";

/** Token and amount that a transaction took from its sender, read from its calldata. */
export interface SentAmount {
  token: Address;
  amount: bigint;
}

/** Decodes a transaction to LI.FI's contracts; null for any other, and for Polymer's functions. */
export function readSentAmount(
  { contracts }: BridgeChain,
  { to, input }: NodeTransaction,
): SentAmount | null {
  try {
    if (to !== null && isAddressEqual(to, contracts.executor)) return readExecute(input);
    return to !== null && isAddressEqual(to, contracts.diamond) ? readDiamond(input) : null;
  } catch {
    return null;
  }
}

function readExecute(data: Hex): SentAmount | null {
  const call = decodeFunctionData({ abi: executorAbi, data });
  if (call.functionName !== "swapAndExecute") return null;
  return { token: call.args[2], amount: call.args[4] };
}

function readDiamond(data: Hex): SentAmount | null {
  const call = decodeFunctionData({ abi: diamondAbi, data });
  switch (call.functionName) {
    case "startBridgeTokensViaAcrossV4":
    case "startBridgeTokensViaStargate":
    case "startBridgeTokensViaCelerCircleBridge":
      return { token: call.args[0].sendingAssetId, amount: call.args[0].minAmount };
    case "swapAndStartBridgeTokensViaAcrossV4":
    case "swapAndStartBridgeTokensViaStargate":
    case "swapAndStartBridgeTokensViaCelerCircleBridge":
      return firstOf(call.args[1]);
    case "swapTokensSingleV3ERC20ToERC20":
    case "swapTokensSingleV3ERC20ToNative":
    case "swapTokensSingleV3NativeToERC20":
      return firstOf([call.args[5]]);
    case "swapTokensMultipleV3ERC20ToERC20":
    case "swapTokensMultipleV3ERC20ToNative":
    case "swapTokensMultipleV3NativeToERC20":
      return firstOf(call.args[5]);
    default:
      return null;
  }
}

function firstOf(swaps: readonly { sendingAssetId: Address; fromAmount: bigint }[]): SentAmount | null {
  const [first] = swaps;
  return first === undefined ? null : { token: first.sendingAssetId, amount: first.fromAmount };
}
