import { concatHex, type Hex, hexToBigInt, hexToNumber, size, slice } from "viem";

/** A CCTP V2 message about a burn. Source: MessageV2.sol, BurnMessageV2.sol. */
export interface BurnMessage extends BurnBody {
  sourceDomain: number;
  destinationDomain: number;
  /** The sending contract as a 32-byte word. */
  sender: Hex;
}

/** The body of a burn message, which the mint repeats. Amounts in USDC's smallest unit. */
export interface BurnBody {
  /** The bytes that are equal in burn and mint: version, token, recipient, amount, sender, maximum fee, hook data. */
  fixed: Hex;
  /** Amount burned. */
  amount: bigint;
  /** Fee deducted from the minted amount; zero in the burn, set by the attestation. */
  fee: bigint;
}

const VERSION = 1;
/** Byte offsets: the body in the message, the fields in the body. */
const BODY_AT = 148;
const AMOUNT_AT = 68;
const FEE_AT = 164;
const HOOK_AT = 228;

/** Parses the message of a `MessageSent` event; null for another version or length. */
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

/** Parses a burn message's body, before or after the attestation set its fee; null for another version or length. */
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
