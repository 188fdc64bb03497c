import type { Hex } from "viem";
import * as z from "zod";

/** A JSON-RPC quantity such as a balance or gas. Source: ethereum/execution-apis, `uint256`. */
export const RpcQuantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform(BigInt);

/** A JSON-RPC quantity that a float holds exactly: a block number, unix seconds, an index. */
export const RpcNumber = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,13}$/)
  .transform(Number);

/** A hash or another 32-byte word, in lower case. */
export const RpcWord = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/)
  .transform((text) => text.toLowerCase() as Hex);

/** Bytes such as code or returndata; may be empty. */
export const RpcData = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2})*$/)
  .transform((text) => text as Hex);

/** Encodes a number as a JSON-RPC quantity. */
export const toRpcQuantity = (value: number): Hex => `0x${value.toString(16)}`;
