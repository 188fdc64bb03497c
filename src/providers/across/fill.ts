import { type Hex, isAddressEqual, keccak256, parseEventLogs } from "viem";
import type { Receipt } from "../../chains/transaction.ts";
import { spokePoolAbi } from "./abi.ts";
import { callsSucceeded } from "./calls.ts";
import type { Deployment } from "./deployments.ts";
import type { Deposited } from "./deposited.ts";

/** What the destination chain shows of a delivery. */
export interface Fill {
  txHash: Hex;
  /** Smallest unit of the output token. */
  amount: bigint;
  /** Whether the handler's calls succeeded: otherwise the user holds the token itself. Null: it does not tell. */
  callsSucceeded: boolean | null;
  /** The logs of the receipt that belong to it, by index, both included. */
  logs: { first: number; last: number };
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
  const fills = parseEventLogs({ abi: spokePoolAbi(), eventName: "FilledRelay", logs: own });
  const index = fills.findIndex(({ args }) => isSameRelay(args, of.deposited));
  const fill = fills[index];
  if (fill === undefined) return null;
  // A transaction may deliver several transfers; one is paid out and its calls run before the next is delivered.
  const end = fills[index + 1]?.logIndex ?? Number.POSITIVE_INFINITY;
  const logs = { first: fill.logIndex, last: end - 1 };
  const during = receipt.logs.filter(({ logIndex }) => logIndex !== null && isWithin(logIndex, logs));
  const { messageHash, relayExecutionInfo: execution } = fill.args;
  const handler = of.destination.multicallHandler;
  return {
    txHash: fill.transactionHash,
    amount: execution.updatedOutputAmount,
    callsSucceeded: callsSucceeded(during, { deposited: of.deposited, messageHash, execution, handler }),
    logs,
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

const isWithin = (index: number, { first, last }: Fill["logs"]): boolean => index >= first && index <= last;
