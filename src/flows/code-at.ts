import { z } from "@hono/zod-openapi";
import type { Address, Hex } from "viem";
import type { NodeSession } from "../chains/client.ts";
import { OutsideError } from "../lib/bounded-fetch.ts";

const Bytes = z.string().regex(/^0x(00|01)*$/);

/** Addresses that one program asks for: 28 bytes each, of the 49,152 that creation code may have. */
export const MOST_ADDRESSES = 1_000;

/**
 * A program that answers one byte for each address: 1 where there is code. It is creation code that never becomes a
 * contract, of instructions that chains know from their first block on.
 */
export function encodeCodeQuestion(addresses: readonly Address[]): Hex {
  const word = (value: number): string => value.toString(16).padStart(4, "0");
  const asked = addresses.map(
    // PUSH20 address, EXTCODESIZE, ISZERO, ISZERO, PUSH2 index, MSTORE8
    (address, index) => `73${address.slice(2).toLowerCase()}3b151561${word(index)}53`,
  );
  // PUSH2 length, PUSH1 0, RETURN
  return `0x${asked.join("")}61${word(addresses.length)}6000f3`;
}

/**
 * Which addresses had code at a block, in one request. Throws RpcError as the node said it, which is how nodes say that
 * they do not keep the block's state, and OutsideError for an answer of another shape.
 */
export async function readCodeAt(
  node: NodeSession,
  query: { block: number; addresses: readonly Address[] },
): Promise<boolean[]> {
  const { block, addresses } = query;
  const data = encodeCodeQuestion(addresses);
  const told = Bytes.safeParse(await node.request("eth_call", [{ data }, `0x${block.toString(16)}`]));
  if (!told.success || told.data.length !== 2 + 2 * addresses.length)
    throw new OutsideError("malformed", "the node did not tell where there is code");
  return addresses.map((_, index) => told.data.slice(2 + 2 * index, 4 + 2 * index) === "01");
}
