import type { Hex } from "viem";
import * as z from "zod";
import { isUnixTime } from "../lib/unix-time.ts";

/**
 * Schema of a JSON-RPC quantity such as a balance or an amount of gas, parsed to a bigint. Source:
 * ethereum/execution-apis, `uint256`.
 */
export const RpcQuantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform(BigInt);

/**
 * Schema of a JSON-RPC quantity of at most 13 hex digits (below 2^52, hence a safe integer), such as a block number
 * or an index, parsed to a number.
 */
export const RpcNumber = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,13}$/)
  .transform(Number);

/** Schema of a block's timestamp in UNIX seconds, at most the end of the year 9999, parsed to a number. */
export const RpcTime = RpcNumber.refine(isUnixTime);

/** Schema of a hash or another 32-byte word, parsed to lowercase hex. */
export const RpcWord = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/)
  .transform((text) => text.toLowerCase() as Hex);

/** Schema of bytes such as contract code or return data; they may be empty. */
export const RpcData = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2})*$/)
  .transform((text) => text as Hex);

/** Encodes a non-negative integer as a JSON-RPC quantity: hex with prefix, without leading zeros. */
export const toRpcQuantity = (value: number): Hex => `0x${value.toString(16)}`;
