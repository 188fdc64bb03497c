import { type Address, type Hex, isAddressEqual, keccak256, type Log, parseEventLogs } from "viem";
import type { Receipt } from "../../../chains/chain-transaction.ts";
import { handlerAbi, spokePoolAbi } from "../across-abi.ts";
import { decodeInstructions, wordToAddress } from "../across-calldata.ts";
import type { AcrossDeployment } from "../across-deployments.ts";
import type { AcrossDeposit } from "./across-spoke-pool.ts";

/**
 * A fill together with its deposit; the depositor may have signed an update, so recipient, message and amount can
 * differ.
 */
interface HandlerDelivery {
  deposited: AcrossDeposit;
  messageHash: Hex;
  execution: { updatedRecipient: Hex; updatedMessageHash: Hex; updatedOutputAmount: bigint };
  /** The multicall handler on the destination chain; null when unknown. */
  handler: Address | null;
}

/**
 * Returns whether the destination calls of a delivery succeeded, from the logs between it and the next delivery; null
 * when they do not show it. A delivery without a message counts as success. Throws when the message cannot be
 * decoded.
 */
function didCallsSucceed(deliveryLogs: readonly Log[], delivery: HandlerDelivery): boolean | null {
  const { deposited, messageHash, execution, handler } = delivery;
  if (execution.updatedRecipient !== deposited.recipient) return null;
  if (execution.updatedMessageHash !== messageHash) return null;
  if (deposited.message === "0x") return true;
  if (handler === null || !isAddressEqual(handler, wordToAddress(deposited.recipient))) return null;
  const logs = deliveryLogs.filter((log) => isAddressEqual(log.address, handler));
  const events = parseEventLogs({ abi: handlerAbi(), logs });
  const failure = events.findIndex(({ eventName }) => eventName === "CallsFailed");
  if (failure === -1) return true;
  return isPaidToFallback(events.slice(failure), delivery) ? false : null;
}

type HandlerEvent = ReturnType<typeof parseEventLogs<ReturnType<typeof handlerAbi>>>[number];

/**
 * Returns true when the handler paid the delivered tokens to the fallback recipient, as it does when a call fails.
 * Anyone can make the handler fail with a copy of the message, but would have to pay the same amount to the
 * recipient.
 */
function isPaidToFallback(
  events: readonly HandlerEvent[],
  { deposited, execution }: HandlerDelivery,
): boolean {
  const { fallbackRecipient } = decodeInstructions(deposited.message);
  const token = wordToAddress(deposited.outputToken);
  return events.some(
    (event) =>
      event.eventName === "DrainedTokens" &&
      isAddressEqual(event.args.recipient, fallbackRecipient) &&
      isAddressEqual(event.args.token, token) &&
      event.args.amount >= execution.updatedOutputAmount,
  );
}

/** A fill of a deposit, as the destination receipt records it. */
export interface Fill {
  txHash: Hex;
  /** Smallest unit of the output token. */
  amount: bigint;
  /**
   * False when a destination call failed and the user received the tokens instead; null when the logs do not show it.
   */
  callsSucceeded: boolean | null;
  /** Log index range of the receipt that belongs to this fill, both ends included. */
  logs: { first: number; last: number };
}

/**
 * Finds the fill of a deposit in a destination receipt; null when there is none. Every field is compared, because
 * anyone can fill an invented deposit with the same id.
 */
export function findFill(
  receipt: Receipt,
  of: { deposited: AcrossDeposit; destination: AcrossDeployment },
): Fill | null {
  if (!receipt.succeeded) return null;
  const own = receipt.logs.filter((log) => isAddressEqual(log.address, of.destination.spokePool));
  const fills = parseEventLogs({ abi: spokePoolAbi(), eventName: "FilledRelay", logs: own });
  const index = fills.findIndex(({ args }) => isSameRelay(args, of.deposited));
  const fill = fills[index];
  if (fill === undefined) return null;
  // A transaction may fill several deposits; each is paid out and its calls run before the next fill.
  const end = fills[index + 1]?.logIndex ?? Number.POSITIVE_INFINITY;
  const logs = { first: fill.logIndex, last: end - 1 };
  const deliveryLogs = receipt.logs.filter(({ logIndex }) => logIndex !== null && isWithin(logIndex, logs));
  const { messageHash, relayExecutionInfo: execution } = fill.args;
  const handler = of.destination.multicallHandler;
  return {
    txHash: fill.transactionHash,
    amount: execution.updatedOutputAmount,
    callsSucceeded: didCallsSucceed(deliveryLogs, {
      deposited: of.deposited,
      messageHash,
      execution,
      handler,
    }),
    logs,
  };
}

type FilledRelayArgs = Pick<
  AcrossDeposit,
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

/**
 * Returns true when a fill matches a deposit in every field. Source: SpokePool.sol, `_hashNonEmptyMessage` for the
 * message.
 */
export function isSameRelay(fill: FilledRelayArgs, deposited: AcrossDeposit): boolean {
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
