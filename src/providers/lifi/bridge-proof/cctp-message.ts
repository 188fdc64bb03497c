import { concatHex, type Hex, hexToBigInt, hexToNumber, size, slice } from "viem";

/** A message of CCTP V2 that says what was burned. Source: MessageV2.sol, BurnMessageV2.sol. */
export interface BurnMessage extends BurnBody {
  sourceDomain: number;
  destinationDomain: number;
  /** Who sent it, as the receiving side is told; 32 bytes. */
  sender: Hex;
}

/** What a mint repeats of a burn. */
export interface BurnBody {
  /** All that stays as it was sent: version, token, recipient, amount, sender, largest fee, and what follows. */
  fixed: Hex;
  /** What was burned, and the fee that is taken from what is minted; USDC's smallest unit. */
  amount: bigint;
  fee: bigint;
}

const VERSION = 1;
const BODY_AT = 148;
const AMOUNT_AT = 68;
const FEE_AT = 164;
const HOOK_AT = 228;

/** Reads a message as `MessageSent` has it; null for one of another version or shape. */
export function parseCctpMessage(message: Hex): BurnMessage | null {
  if (size(message) < BODY_AT + HOOK_AT || numberAt(message, 0) !== VERSION) return null;
  const body = parseBurnBody(slice(message, BODY_AT));
  if (body === null) return null;
  return {
    ...body,
    sourceDomain: numberAt(message, 4),
    destinationDomain: numberAt(message, 8),
    sender: slice(message, 44, 76),
  };
}

/** Reads a message's body; the fee, and until when it could be received, are filled in on the way. */
export function parseBurnBody(body: Hex): BurnBody | null {
  if (size(body) < HOOK_AT || numberAt(body, 0) !== VERSION) return null;
  const rest = size(body) > HOOK_AT ? slice(body, HOOK_AT) : "0x";
  return {
    fixed: concatHex([slice(body, 0, FEE_AT), rest]).toLowerCase() as Hex,
    amount: hexToBigInt(slice(body, AMOUNT_AT, AMOUNT_AT + 32)),
    fee: hexToBigInt(slice(body, FEE_AT, FEE_AT + 32)),
  };
}

const numberAt = (data: Hex, at: number): number => hexToNumber(slice(data, at, at + 4));
