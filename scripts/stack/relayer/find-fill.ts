import { decodeFunctionResult, encodeEventTopics, encodeFunctionData, type Hex } from "viem";
import { spokePoolAbi } from "../../../src/providers/across/across-abi.ts";
import type { BridgeChain } from "../bridge/bridge-chains.ts";
import { logsOf, receiptOf } from "../bridge/node-requests.ts";
import { rpc } from "../chains/json-rpc.ts";
import { type FillOutcome, outcomeOf } from "./fill-outcome.ts";
import type { Transfer } from "./transfer.ts";

const FILLED = 2n;

/** Returns an existing fill, by another relayer or before the ledger's start; null when there is none. */
export async function findFill(transfer: Transfer, destination: BridgeChain): Promise<FillOutcome | null> {
  const { url, contracts } = destination;
  const functionName = "fillStatuses";
  const data = encodeFunctionData({ abi: spokePoolAbi(), functionName, args: [transfer.relayHash] });
  const answer = String(await rpc(url, "eth_call", { to: contracts.spokePool, data }, "latest")) as Hex;
  if (decodeFunctionResult({ abi: spokePoolAbi(), functionName, data: answer }) !== FILLED) return null;
  const { originChainId, depositId } = transfer.relay;
  const args = { originChainId, depositId };
  const topics = encodeEventTopics({ abi: spokePoolAbi(), eventName: "FilledRelay", args });
  const logs = await logsOf(url, { address: contracts.spokePool, topics, fromBlock: "0x0" });
  const fillTx = logs.at(-1)?.transactionHash;
  const receipt = fillTx === undefined ? null : await receiptOf(url, fillTx);
  return receipt === null
    ? { fillTx: null, delivered: transfer.relay.outputAmount, callsSucceeded: null }
    : outcomeOf(receipt, { transfer, destination });
}
