import {
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionData,
  getAbiItem,
  type Hex,
  keccak256,
  parseEventLogs,
  zeroHash,
} from "viem";
import type { BridgeChain } from "../bridge/bridge-chains.ts";
import { logsOf } from "../bridge/node-requests.ts";
import { spokePoolOperatorAbi } from "../bridge/spoke-pool-abi.ts";
import { asLog } from "./as-log.ts";
import { sendFromRelayer } from "./send-transaction.ts";
import { type Transfer, toAddress } from "./transfer.ts";

const abi = spokePoolOperatorAbi;
type Refundable = Pick<Transfer, "originChainId" | "relay">;

const [, LEAF] = getAbiItem({ abi, name: "executeRelayerRefundLeaf" }).inputs;

/**
 * Refunds a transfer's depositor on the source chain, once: the pool's admin publishes a bundle with this refund only
 * and its leaf is executed. A native deposit is refunded wrapped. Throws when either transaction reverts.
 */
export async function refund(transfer: Refundable, origin: BridgeChain): Promise<{ refundTx: Hex }> {
  const paid = await findRefund(transfer, origin);
  if (paid !== null) return { refundTx: paid };
  const leaf = leafOf(transfer);
  const rootBundleId = await publish(keccak256(encodeAbiParameters([LEAF], [leaf])), origin);
  const functionName = "executeRelayerRefundLeaf";
  const data = encodeFunctionData({ abi, functionName, args: [rootBundleId, leaf, []] });
  const receipt = await sendFromRelayer(origin, { to: origin.contracts.spokePool, data });
  return { refundTx: receipt.transactionHash };
}

/** The leaf id is the deposit's id. Real bundles hold many refunds, with one leaf per chain and token. */
const leafIdOf = ({ relay }: Refundable): number => Number(BigInt.asUintN(32, relay.depositId));

function leafOf(transfer: Refundable) {
  const { relay, originChainId } = transfer;
  return {
    amountToReturn: 0n,
    chainId: BigInt(originChainId),
    refundAmounts: [relay.inputAmount],
    leafId: leafIdOf(transfer),
    l2TokenAddress: toAddress(relay.inputToken),
    refundAddresses: [toAddress(relay.depositor)],
  };
}

async function findRefund(transfer: Refundable, { url, contracts }: BridgeChain): Promise<Hex | null> {
  const args = { leafId: leafIdOf(transfer) };
  const topics = encodeEventTopics({ abi, eventName: "ExecutedRelayerRefundRoot", args });
  const logs = await logsOf(url, { address: contracts.spokePool, topics, fromBlock: "0x0" });
  return logs.at(-1)?.transactionHash ?? null;
}

/** Publishes a bundle with this single leaf and returns its number. */
async function publish(root: Hex, origin: BridgeChain): Promise<number> {
  const data = encodeFunctionData({ abi, functionName: "relayRootBundle", args: [root, zeroHash] });
  const { logs } = await sendFromRelayer(origin, { to: origin.contracts.spokePool, data });
  const [published] = parseEventLogs({ abi, eventName: "RelayedRootBundle", logs: logs.map(asLog) });
  if (published === undefined) throw new Error("the SpokePool announced no bundle");
  return published.args.rootBundleId;
}
