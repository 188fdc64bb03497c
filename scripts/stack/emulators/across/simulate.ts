import { type Address, encodeFunctionData, type Hex, maxUint256, pad, zeroHash } from "viem";
import { spokePoolAbi } from "../../../../src/providers/across/across-abi.ts";
import { hasCode, headOf } from "../../bridge/node-requests.ts";
import { rpc } from "../../chains/json-rpc.ts";
import { AcrossRefusal, invalidParameter } from "./errors.ts";
import type { RouteEnds } from "./query.ts";

interface Delivery {
  recipient: Address;
  message: Hex;
  amount: bigint;
  outputAmount: bigint;
}

/**
 * Simulates the relayer's fill on the destination chain. Throws `INVALID_PARAM` when the recipient of a message has
 * no code, `SIMULATION_ERROR` when the fill would revert.
 */
export async function simulateDelivery(
  { origin, destination, input, output }: RouteEnds,
  delivery: Delivery,
): Promise<void> {
  const { recipient, message, amount, outputAmount } = delivery;
  if (!(await hasCode(destination.url, recipient)))
    throw invalidParameter("recipient", "Recipient must be a contract when a message is provided");
  const { timestamp } = await headOf(destination.url);
  const relay = {
    depositor: pad(recipient),
    recipient: pad(recipient),
    exclusiveRelayer: zeroHash,
    inputToken: pad(input.address),
    outputToken: pad(output.address),
    inputAmount: amount,
    outputAmount,
    originChainId: BigInt(origin.chainId),
    depositId: maxUint256,
    fillDeadline: timestamp + 3_600,
    exclusivityDeadline: 0,
    message,
  };
  const { relayer, spokePool } = destination.contracts;
  const args = [relay, BigInt(origin.chainId), pad(relayer)] as const;
  const data = encodeFunctionData({ abi: spokePoolAbi(), functionName: "fillRelay", args });
  const transaction = { from: relayer, to: spokePool, data };
  await rpc(destination.url, "eth_call", transaction, "latest").catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AcrossRefusal("SIMULATION_ERROR", { message: `Gas estimation failed: ${reason}`, transaction });
  });
}
