import { type Address, type Hex, isAddressEqual, type Log, parseEventLogs } from "viem";
import { handlerAbi } from "./abi.ts";
import { decodeInstructions, toAddress } from "./decode.ts";
import type { Deposited } from "./deposited.ts";

/** A delivery as the SpokePool made it: the depositor may have agreed to another than was deposited for. */
interface Delivery {
  deposited: Deposited;
  messageHash: Hex;
  execution: { updatedRecipient: Hex; updatedMessageHash: Hex; updatedOutputAmount: bigint };
  /** The handler of the destination; null where none is known. */
  handler: Address | null;
}

/**
 * Whether the calls at the end of a delivery succeeded, by the events between it and the next; null: they do not
 * tell. A delivery without a message makes none, and succeeds. Throws when the message cannot be decoded.
 */
export function callsSucceeded(during: readonly Log[], delivery: Delivery): boolean | null {
  const { deposited, messageHash, execution, handler } = delivery;
  if (execution.updatedRecipient !== deposited.recipient) return null;
  if (execution.updatedMessageHash !== messageHash) return null;
  if (deposited.message === "0x") return true;
  if (handler === null || !isAddressEqual(handler, toAddress(deposited.recipient))) return null;
  const logs = during.filter((log) => isAddressEqual(log.address, handler));
  const events = parseEventLogs({ abi: handlerAbi(), logs });
  const failure = events.findIndex(({ eventName }) => eventName === "CallsFailed");
  if (failure === -1) return true;
  return isPaidOut(events.slice(failure), delivery) ? false : null;
}

type HandlerEvent = ReturnType<typeof parseEventLogs<ReturnType<typeof handlerAbi>>>[number];

/**
 * Whether the handler paid what was delivered out to the fallback recipient, as it does at once when calls fail.
 * Anyone can make it run the same message again, and fail, but then pays the recipient out of his own pocket.
 */
function isPaidOut(events: readonly HandlerEvent[], { deposited, execution }: Delivery): boolean {
  const { fallbackRecipient } = decodeInstructions(deposited.message);
  const token = toAddress(deposited.outputToken);
  return events.some(
    (event) =>
      event.eventName === "DrainedTokens" &&
      isAddressEqual(event.args.recipient, fallbackRecipient) &&
      isAddressEqual(event.args.token, token) &&
      event.args.amount >= execution.updatedOutputAmount,
  );
}
