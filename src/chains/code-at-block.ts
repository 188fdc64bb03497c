import type { Address, Hex } from "viem";
import { OutsideError } from "../lib/bounded-fetch.ts";
import type { ChainClient, NodeSession } from "./chain-client.ts";
import { RpcData } from "./rpc-values.ts";

const CODE_FLAGS = /^0x(00|01)*$/;
const TIMED_CODE = /^0x0{52}[0-9a-f]{12}0{63}[01]$/;

/**
 * Maximum number of addresses in one request: `encodeHasCode` needs 28 bytes of creation code per address, and nodes
 * accept 49,152 bytes (EIP-3860).
 */
export const MAX_CODE_ADDRESSES = 1_000;

/**
 * Encodes a program (contract creation code that runs in an `eth_call`) that returns one byte for each of at most 1,000
 * addresses: 1 if the address has code, otherwise 0. It can run at any block.
 */
export function encodeHasCode(addresses: readonly Address[]): Hex {
  const word = (value: number): string => value.toString(16).padStart(4, "0");
  const asked = addresses.map(
    // PUSH20 address, EXTCODESIZE, ISZERO, ISZERO, PUSH2 index, MSTORE8
    (address, index) => `73${address.slice(2).toLowerCase()}3b151561${word(index)}53`,
  );
  // PUSH2 length, PUSH1 0, RETURN
  return `0x${asked.join("")}61${word(addresses.length)}6000f3`;
}

/**
 * Returns, for each of at most 1,000 addresses, whether it had code after a block, with one request. Throws
 * OutsideError `malformed` for a malformed result; errors of the node, which may not keep that state, propagate.
 */
export async function readCodeAt(
  node: Pick<NodeSession, "request">,
  query: { block: number; addresses: readonly Address[] },
): Promise<boolean[]> {
  const { block, addresses } = query;
  const data = encodeHasCode(addresses);
  const flags = await node.request("eth_call", [{ data }, `0x${block.toString(16)}`]);
  if (typeof flags !== "string" || !CODE_FLAGS.test(flags) || flags.length !== 2 + 2 * addresses.length)
    throw new OutsideError("malformed", "the node did not tell where there is code");
  return addresses.map((_, index) => flags.slice(2 + 2 * index, 4 + 2 * index) === "01");
}

/**
 * Returns the timestamp of a block in seconds, as contracts see it there, and whether an address had code after the
 * block, with one request: a node that ignores the block and runs the call at its head returns another timestamp. Throws
 * as `readCodeAt`.
 */
export async function readTimedCode(
  node: Pick<NodeSession, "request">,
  { block, address }: { block: number; address: Address },
): Promise<{ timestamp: number; hasCode: boolean }> {
  // TIMESTAMP at 0; address, EXTCODESIZE, ISZERO, ISZERO at 32; return 64 bytes.
  const data = `0x4260005273${address.slice(2).toLowerCase()}3b151560205260406000f3`;
  const words = await node.request("eth_call", [{ data }, `0x${block.toString(16)}`]);
  if (typeof words !== "string" || !TIMED_CODE.test(words))
    throw new OutsideError("malformed", "the node did not tell where there is code");
  return { timestamp: Number(words.slice(0, 66)), hasCode: words.endsWith("1") };
}

/**
 * Reads the code of an account at the latest block, as lowercase hex; `0x` if it has none. If a node's answer is
 * malformed, the next node is asked. Errors of the chain client propagate.
 */
export function readContractCode(client: Pick<ChainClient, "ask">, address: Address): Promise<Hex> {
  return client.ask({
    method: "eth_getCode",
    params: [address, "latest"],
    read: (answer) => RpcData.parse(answer).toLowerCase() as Hex,
  });
}
