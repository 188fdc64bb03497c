import { type Hex, keccak256, numberToHex } from "viem";

/** Returns the hash of a test chain's block, derived from its number. */
export const blockHashOf = (block: number): Hex => keccak256(numberToHex(block));

/** Returns a block's header as nodes return it. */
export const wireBlock = (block: number, timestamp: number) => ({
  number: numberToHex(block),
  hash: blockHashOf(block),
  timestamp: numberToHex(timestamp),
});

/** Completes an event to a log as `eth_getLogs` returns it; `index` is its position in the block. */
export function wireLog<E extends object>(event: E, at: { block: number; txHash: Hex; index?: number }) {
  const { block, txHash, index = 0 } = at;
  const position = {
    blockNumber: numberToHex(block),
    blockHash: blockHashOf(block),
    logIndex: numberToHex(index),
  };
  return { ...event, ...position, transactionHash: txHash };
}
