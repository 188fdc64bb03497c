import { type Address, type Hex, isAddressEqual, keccak256, type Log, parseEventLogs } from "viem";
import type { Receipt } from "../../../chains/transaction.ts";
import { handlerAbi, spokePoolAbi } from "../across-abi.ts";
import type { AcrossDeployment } from "../deployments.ts";
import { decodeInstructions, wordToAddress } from "../deposit-calldata.ts";
import type { AcrossDeposit } from "./spoke-pool.ts";

/** A delivery as the SpokePool made it: the depositor may have agreed to another than was deposited for. */
interface HandlerDelivery {
  deposited: AcrossDeposit;
  messageHash: Hex;
  execution: { updatedRecipient: Hex; updatedMessageHash: Hex; updatedOutputAmount: bigint };
  /** The handler of the destination; null where none is known. */
  handler: Address | null;
}

/**
 * Whether the calls at the end of a delivery succeeded, by the events between it and the next; null: they do not
 * tell. A delivery without a message makes none, and succeeds. Throws when the message cannot be decoded.
 */
function didCallsSucceed(during: readonly Log[], delivery: HandlerDelivery): boolean | null {
  const { deposited, messageHash, execution, handler } = delivery;
  if (execution.updatedRecipient !== deposited.recipient) return null;
  if (execution.updatedMessageHash !== messageHash) return null;
  if (deposited.message === "0x") return true;
  if (handler === null || !isAddressEqual(handler, wordToAddress(deposited.recipient))) return null;
  const logs = during.filter((log) => isAddressEqual(log.address, handler));
  const events = parseEventLogs({ abi: handlerAbi(), logs });
  const failure = events.findIndex(({ eventName }) => eventName === "CallsFailed");
  if (failure === -1) return true;
  return isPaidToFallback(events.slice(failure), delivery) ? false : null;
}

type HandlerEvent = ReturnType<typeof parseEventLogs<ReturnType<typeof handlerAbi>>>[number];

/**
 * Whether the handler paid what was delivered out to the fallback recipient, as it does at once when calls fail.
 * Anyone can make it run the same message again, and fail, but then pays the recipient out of his own pocket.
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
  of: { deposited: AcrossDeposit; destination: AcrossDeployment },
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
    callsSucceeded: didCallsSucceed(during, { deposited: of.deposited, messageHash, execution, handler }),
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

/** Whether a fill is of exactly this transfer. Source: SpokePool.sol `_hashNonEmptyMessage` for the message. */
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
