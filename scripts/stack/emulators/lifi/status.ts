import { type Hex, isAddressEqual, parseEventLogs } from "viem";
import { z } from "zod";
import { diamondAbi, executorAbi } from "#stand-ins/lifi";
import type { BridgeChain } from "../../bridge/bridge-chains.ts";
import type { BridgeSource } from "../../bridge/bridge-source.ts";
import { type NodeReceipt, receiptOf, transactionOf } from "../../bridge/node-requests.ts";
import { asLog } from "../../relayer/as-log.ts";
import type { Transfer } from "../../relayer/transfer.ts";
import { bridgeStatus } from "./bridge-status.ts";
import { ChainRef, chainNamed, parse } from "./parse-request.ts";
import { EXCHANGE_TOOL } from "./route-plan.ts";
import { readSentAmount } from "./sent-amount.ts";
import { bareInfo, fullInfo } from "./transaction-info.ts";

const StatusQuery = z.looseObject({
  txHash: z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'must match pattern "^0x[0-9a-fA-F]{64}$"'),
  bridge: z.string().optional(),
  fromChain: ChainRef.optional(),
  toChain: ChainRef.optional(),
});

/**
 * `GET /status`, by source or destination transaction hash or by LI.FI's transaction id; responds 200 for an unknown
 * transaction too. Throws `1011`.
 */
export async function transferStatus(source: BridgeSource, query: unknown): Promise<unknown> {
  const { txHash, bridge, fromChain } = parse(StatusQuery, query);
  const hash = txHash.toLowerCase() as Hex;
  const chains =
    fromChain === undefined
      ? [...source.bridgeChains.values()]
      : [chainNamed(source.bridgeChains, fromChain)];
  const transfer = source.ledger.find((one) => concerns(one, hash));
  if (transfer !== null) return bridgeStatus(source.bridgeChains, { transfer, bridge: bridge ?? null });
  for (const chain of chains) {
    const receipt = await receiptOf(chain.url, hash);
    const told = receipt === null ? null : await receiptStatus(chain, receipt);
    if (told !== null) return told;
  }
  const [chain] = chains;
  return { ...(chain === undefined ? {} : { sending: bareInfo(chain, hash) }), status: "NOT_FOUND" };
}

function concerns({ lifi, depositTx, fillTx }: Transfer, hash: Hex): boolean {
  return lifi !== null && (depositTx === hash || fillTx === hash || lifi.transactionId === hash);
}

/**
 * Returns the status of a transaction without a bridge: a swap, a call on one chain, a failure; null when it is not
 * LI.FI's.
 */
async function receiptStatus(chain: BridgeChain, receipt: NodeReceipt): Promise<unknown> {
  const transaction = await transactionOf(chain.url, receipt.transactionHash);
  const moved = transaction === null ? null : readSentAmount(chain, transaction);
  const sending = bareInfo(chain, receipt.transactionHash);
  if (!receipt.status) {
    if (moved === null) return null;
    const substatusMessage = "An unknown error occurred.";
    return { sending, status: "FAILED", substatus: "UNKNOWN_FAILED_ERROR", substatusMessage };
  }
  const own = receipt.logs.filter(({ address }) =>
    [chain.contracts.diamond, chain.contracts.executor].some((one) => isAddressEqual(one, address)),
  );
  const logs = own.map(asLog);
  const [started] = parseEventLogs({ abi: diamondAbi, eventName: "LiFiTransferStarted", logs });
  if (started !== undefined) {
    const receiving = { chainId: Number(started.args.bridgeData.destinationChainId) };
    const tool = started.args.bridgeData.bridge;
    return { sending, receiving, tool, status: "PENDING", substatus: "WAIT_SOURCE_CONFIRMATIONS" };
  }
  const done = completedOf(logs);
  if (done === null) return null;
  const hash = receipt.transactionHash;
  return {
    transactionId: done.transactionId,
    sending: await fullInfo(chain, { hash, moved }),
    receiving: await fullInfo(chain, { hash, moved: done.received }),
    lifiExplorerLink: `https://scan.li.fi/tx/${hash}`,
    fromAddress: receipt.from,
    toAddress: done.receiver,
    tool: done.tool,
    status: "DONE",
    substatus: "COMPLETED",
    substatusMessage: "The transfer is complete.",
    metadata: { integrator: done.integrator },
  };
}

function completedOf(logs: Parameters<typeof parseEventLogs>[0]["logs"]) {
  const [swap] = parseEventLogs({ abi: diamondAbi, eventName: "LiFiGenericSwapCompleted", logs });
  if (swap !== undefined) {
    const { transactionId, receiver, integrator, toAssetId, toAmount } = swap.args;
    const received = { token: toAssetId, amount: toAmount };
    return { transactionId, receiver, integrator, received, tool: EXCHANGE_TOOL };
  }
  const [call] = parseEventLogs({ abi: executorAbi, eventName: "LiFiTransferCompleted", logs });
  if (call === undefined) return null;
  const { transactionId, receiver, receivingAssetId, amount } = call.args;
  const received = { token: receivingAssetId, amount };
  return { transactionId, receiver, integrator: "", received, tool: "custom" };
}
