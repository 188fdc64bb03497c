import { type Hex, isAddressEqual, keccak256, type Log, parseEventLogs } from "viem";
import type { Receipt } from "../../chains/transaction.ts";
import { handlerAbi, spokePoolAbi } from "./abi.ts";
import { toAddress } from "./decode.ts";
import type { Deployment } from "./deployments.ts";
import type { Deposited } from "./deposited.ts";

/** What the destination chain shows of a delivery. */
export interface Fill {
  txHash: Hex;
  /** Smallest unit of the output token. */
  amount: bigint;
  /** Whether the handler's calls failed, so that the user holds the token itself. */
  callsFailed: boolean;
}

/**
 * Reads the delivery of a transfer out of a receipt of the destination chain; null: it is not there.
 * The id alone proves nothing: anyone can fill a made-up transfer with the same id, so the whole is compared.
 */
export function findFill(
  receipt: Receipt,
  of: { deposited: Deposited; destination: Deployment },
): Fill | null {
  if (!receipt.succeeded) return null;
  const own = receipt.logs.filter((log) => isAddressEqual(log.address, of.destination.spokePool));
  const fills = parseEventLogs({ abi: spokePoolAbi, eventName: "FilledRelay", logs: own });
  const index = fills.findIndex(({ args }) => isSameRelay(args, of.deposited));
  const fill = fills[index];
  if (fill === undefined) return null;
  // A transaction may deliver several transfers; the calls of one run before the next is delivered.
  const end = fills[index + 1]?.logIndex ?? Number.POSITIVE_INFINITY;
  const during = receipt.logs.filter((log) => isBetween(log, { start: fill.logIndex, end }));
  return {
    txHash: fill.transactionHash,
    amount: fill.args.relayExecutionInfo.updatedOutputAmount,
    callsFailed: hasFailedCalls(during, toAddress(fill.args.relayExecutionInfo.updatedRecipient)),
  };
}

type FilledRelay = Pick<
  Deposited,
  | "inputToken"
  | "outputToken"
  | "inputAmount"
  | "outputAmount"
  | "depositId"
  | "fillDeadline"
  | "exclusivityDeadline"
  | "exclusiveRelayer"
  | "depositor"
  | "recipient"
> & { originChainId: bigint; messageHash: Hex };

const NO_MESSAGE: Hex = `0x${"0".repeat(64)}`;

/** Whether a fill is of exactly this transfer. Source: SpokePool.sol `_hashNonEmptyMessage` for the message. */
export function isSameRelay(fill: FilledRelay, deposited: Deposited): boolean {
  return (
    fill.originChainId === BigInt(deposited.originChainId) &&
    fill.depositId === deposited.depositId &&
    fill.depositor === deposited.depositor &&
    fill.recipient === deposited.recipient &&
    fill.inputToken === deposited.inputToken &&
    fill.outputToken === deposited.outputToken &&
    fill.inputAmount === deposited.inputAmount &&
    fill.outputAmount === deposited.outputAmount &&
    fill.exclusiveRelayer === deposited.exclusiveRelayer &&
    fill.fillDeadline === deposited.fillDeadline &&
    fill.exclusivityDeadline === deposited.exclusivityDeadline &&
    fill.messageHash === (deposited.message === "0x" ? NO_MESSAGE : keccak256(deposited.message))
  );
}

function isBetween(log: Log, { start, end }: { start: number; end: number }): boolean {
  return log.logIndex !== null && log.logIndex > start && log.logIndex < end;
}

function hasFailedCalls(logs: readonly Log[], handler: Hex): boolean {
  const own = logs.filter((log) => isAddressEqual(log.address, handler));
  return parseEventLogs({ abi: handlerAbi, eventName: "CallsFailed", logs: own }).length > 0;
}
