import { concatHex, type Hex, hexToBigInt, hexToNumber, size, slice } from "viem";

/** A CCTP V2 message that reports a burn on the source chain. Sources: MessageV2.sol, BurnMessageV2.sol. */
export interface BurnMessage extends BurnBody {
  sourceDomain: number;
  destinationDomain: number;
  /** The contract that sent the message, left-padded to 32 bytes. */
  sender: Hex;
}

/**
 * The body of a burn message, which the mint on the destination chain repeats. Amounts are in the burned token's
 * smallest unit.
 */
export interface BurnBody {
  /**
   * The bytes that are equal in burn and mint: version, token, recipient, amount, sender, maximum fee and
   * hook data.
   */
  fixed: Hex;
  /** Amount burned. */
  amount: bigint;
  /** Fee deducted from the minted amount. Zero in the burn; Circle's attestation sets it. */
  fee: bigint;
}

/** Version number of CCTP V2 messages and of their bodies. */
const VERSION = 1;
/** Byte offset of the body in a CCTP message. */
const BODY_AT = 148;
/** Byte offset of the amount in a burn message's body. */
const AMOUNT_AT = 68;
/**
 * Byte offset of the fee in a burn message's body. The expiration block follows it, and the attestation sets
 * both.
 */
const FEE_AT = 164;
/** Byte offset of the hook data in a burn message's body. */
const HOOK_AT = 228;

/**
 * Parses the message of CCTP's `MessageSent` event. Returns null if it or its body is not version 1 (CCTP V2), or if it
 * is too short. Source: MessageV2.sol.
 */
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

/**
 * Parses the body of a CCTP burn message, before or after the attestation set its fee. Returns null if it is not
 * version 1 (CCTP V2) or is too short. Source: BurnMessageV2.sol.
 */
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
