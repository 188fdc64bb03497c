import { type Address, getAddress, type Hex } from "viem";
import * as z from "zod";
import { MAX_UINT256 } from "../lib/amount.ts";

/** Maximum length of calldata, in characters of hex including the prefix: 128 KiB of data. */
const MAX_DATA = 2 * 128 * 1024 + 2;

/**
 * Schema of an amount in a token's smallest unit: a decimal string without leading zeros, up to 2^256 - 1, parsed to a
 * bigint.
 */
export const WireAmount = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,77})$/)
  .transform(BigInt)
  .refine((amount) => amount <= MAX_UINT256);
/** Schema of an address in any letter case. The checksum is not verified; the result has the EIP-55 checksum. */
export const WireAddress = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((text): Address => getAddress(text));
/** Schema of calldata: whole bytes as hex with the prefix `0x`, up to 128 KiB. The result is lowercase. */
export const WireCalldata = z
  .string()
  .max(MAX_DATA)
  .regex(/^0x([0-9a-fA-F]{2})*$/)
  .transform((text) => text.toLowerCase() as Hex);
/**
 * Schema of the units of gas that a swap uses, as a decimal string of up to 12 digits. An invalid or missing value
 * becomes null instead of failing the response.
 */
export const WireGas = z
  .string()
  .regex(/^\d{1,12}$/)
  .transform(BigInt)
  .nullable()
  .catch(null);
