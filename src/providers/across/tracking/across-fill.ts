import { type Address, type Hex, isAddressEqual, keccak256, type Log, parseEventLogs } from "viem";
import type { Receipt } from "../../../chains/chain-transaction.ts";
import { handlerAbi, spokePoolAbi } from "../across-abi.ts";
import { decodeInstructions, wordToAddress } from "../across-calldata.ts";
import type { AcrossDeployment } from "../across-deployments.ts";
import type { AcrossDeposit } from "./across-deposit-tracking.ts";

/**
 * A fill together with the Across deposit that it fills. Recipient, message and amount of the fill can differ from the
 * deposit's, because a depositor may sign an update.
 */
interface HandlerDelivery {
  deposited: AcrossDeposit;
  messageHash: Hex;
  execution: { updatedRecipient: Hex; updatedMessageHash: Hex; updatedOutputAmount: bigint };
  /** The multicall handler on the destination chain, or null if it is unknown. */
  handler: Address | null;
}

/**
 * Returns whether an Across delivery's destination calls succeeded (true if there were none), or null if its logs do
 * not show it. `deliveryLogs` are the receipt's logs from this fill to the next. Throws an Error if the message cannot
 * be decoded.
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
 * Returns true if the handler paid the delivered tokens to the fallback recipient, as it does when a call fails. A
 * `CallsFailed` event alone proves nothing, because anyone can send the handler a copy of the message.
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

/**
 * A fill of an Across deposit (its delivery by a relayer or, as a slow fill, by Across), read from the receipt of the
 * destination transaction.
 */
export interface Fill {
  txHash: Hex;
  /** Amount delivered, in the smallest unit of the output token. */
  amount: bigint;
  /**
   * True if the destination calls succeeded or there were none; false if one failed and the fallback recipient received
   * the tokens instead; null if the logs do not show the outcome, as after an update signed by the depositor.
   */
  callsSucceeded: boolean | null;
  /**
   * First and last log index of the receipt that belong to this fill, both inclusive. `last` is infinite if no other
   * fill follows.
   */
  logs: { first: number; last: number };
}

/**
 * Returns the fill of an Across deposit from a destination receipt, or null if it shows none. All fields that the event
 * repeats must match, because anyone can fill an invented deposit with the same id. Throws an Error if the deposit
 * cannot be decoded.
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

/** Message hash in the fill event of an Across deposit without a message. */
const NO_MESSAGE: Hex = `0x${"0".repeat(64)}`;

/**
 * Returns true if a fill event matches an Across deposit in every field that the event repeats, the message by its
 * hash. Values that the depositor updated later are ignored. Source: SpokePool.sol, `_hashNonEmptyMessage`.
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
