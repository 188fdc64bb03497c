import { isAddressEqual, zeroAddress } from "viem";
import type { BridgeChain, BridgeChains } from "../../bridge/bridge-chains.ts";
import { transactionOf } from "../../bridge/node-requests.ts";
import { type Transfer, toAddress } from "../../relayer/transfer.ts";
import { readSentAmount, type SentAmount } from "./sent-amount.ts";
import { bareInfo, fullInfo } from "./transaction-info.ts";

type Word = readonly [status: string, substatus: string, message: string];

const COMPLETED: Word = ["DONE", "COMPLETED", "The transfer is complete."];
/**
 * Status by the bridge's state. A delivery with failed calls is COMPLETED too, as integrators observed with LI.FI.
 */
const words: Readonly<Record<Transfer["state"], Word>> = {
  pending: [
    "PENDING",
    "WAIT_DESTINATION_TRANSACTION",
    "The bridge off-chain logic is being executed. Wait for the transaction to appear on the destination chain.",
  ],
  expired: ["PENDING", "REFUND_IN_PROGRESS", "The refund is being processed."],
  filled: COMPLETED,
  refunded: ["DONE", "REFUNDED", "The tokens were refunded to the sender address."],
};

/**
 * Returns the response of `GET /status` for a bridged transfer: `INVALID` when the request names another bridge,
 * `NOT_FOUND` when the transfer is not LI.FI's.
 */
export async function bridgeStatus(
  bridgeChains: BridgeChains,
  { transfer, bridge }: { transfer: Transfer; bridge: string | null },
): Promise<unknown> {
  const { lifi, depositTx, state } = transfer;
  const origin = bridgeChains.get(transfer.originChainId);
  const destination = bridgeChains.get(transfer.destinationChainId);
  if (lifi === null || origin === undefined || destination === undefined) return { status: "NOT_FOUND" };
  const sending = bareInfo(origin, depositTx);
  if (bridge !== null && bridge !== lifi.bridge)
    return { sending, receiving: { chainId: destination.chainId }, tool: bridge, status: "INVALID" };
  const [status, substatus, substatusMessage] = words[state];
  const transaction = await transactionOf(origin.url, depositTx);
  const moved = transaction === null ? null : readSentAmount(origin, transaction);
  return {
    transactionId: lifi.transactionId,
    sending: await fullInfo(origin, { hash: depositTx, moved }),
    receiving: await receivingOf(transfer, { origin, destination }),
    feeCosts: [],
    lifiExplorerLink: `https://scan.li.fi/tx/${depositTx}`,
    fromAddress: transaction?.from ?? toAddress(transfer.relay.depositor),
    toAddress: lifi.receiver,
    tool: lifi.bridge,
    status,
    substatus,
    substatusMessage,
    metadata: { integrator: lifi.integrator },
    bridgeExplorerLink: "https://app.across.to/transactions",
  };
}

/** Returns the receiving part: on the destination, back on the source, or nothing yet. */
function receivingOf(
  { fillTx, refundTx, relay, delivered }: Transfer,
  { origin, destination }: { origin: BridgeChain; destination: BridgeChain },
): Promise<unknown> | { chainId: number } {
  if (refundTx !== null) {
    const moved = { token: toAddress(relay.inputToken), amount: relay.inputAmount };
    return fullInfo(origin, { hash: refundTx, moved });
  }
  if (fillTx === null) return { chainId: destination.chainId };
  const moved: SentAmount = { token: toAddress(relay.outputToken), amount: delivered ?? relay.outputAmount };
  // Without a call, wrapped native arrives unwrapped.
  const unwrapped = relay.message === "0x" && isAddressEqual(moved.token, destination.wrappedNative);
  return fullInfo(destination, { hash: fillTx, moved: unwrapped ? { ...moved, token: zeroAddress } : moved });
}
