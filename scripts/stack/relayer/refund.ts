import { encodeFunctionData, type Hex } from "viem";
import type { BridgeChain } from "../bridge/world.ts";
import { spokePoolAbi } from "../contracts/across/artifact.ts";
import { send } from "./send.ts";
import type { Transfer } from "./transfer.ts";

/** Pays a transfer back to its depositor on the source chain. Throws when that reverts. */
export async function refund(transfer: Transfer, origin: BridgeChain): Promise<{ refundTx: Hex }> {
  const args = [transfer.relay, BigInt(transfer.destinationChainId), true] as const;
  const data = encodeFunctionData({ abi: spokePoolAbi, functionName: "executeRefund", args });
  const receipt = await send(origin, { to: origin.contracts.spokePool, data });
  return { refundTx: receipt.transactionHash };
}
