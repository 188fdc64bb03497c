import type { Hex } from "viem";

const TRANSACTION_GAS = 21_000n;
const TOKEN_GAS = 4n;
const FLOOR_TOKEN_GAS = 10n;
/** A byte of calldata that is not zero counts as four tokens, a zero byte as one. */
const TOKENS_PER_NONZERO_BYTE = 4n;

/**
 * What a transaction costs besides execution: `standard` is added to the gas of execution, `floor` is the
 * least it is charged in total. Gas units; calldata 4/16 and 10/40 per zero/other byte.
 * Source: EIP-2028, EIP-7623. (Chains without EIP-7623 have no floor; it only makes the figure larger.)
 */
export function intrinsicGas(data: Hex): { standard: bigint; floor: bigint } {
  let nonzero = 0n;
  for (let index = 2; index + 1 < data.length; index += 2) {
    if (data[index] !== "0" || data[index + 1] !== "0") nonzero += 1n;
  }
  const zero = BigInt((data.length - 2) >> 1) - nonzero;
  const tokens = zero + nonzero * TOKENS_PER_NONZERO_BYTE;
  return {
    standard: TRANSACTION_GAS + tokens * TOKEN_GAS,
    floor: TRANSACTION_GAS + tokens * FLOOR_TOKEN_GAS,
  };
}

/** The gas of a transaction whose calldata is `data` and whose execution took `execution` gas. */
export function transactionGas(data: Hex, execution: bigint): bigint {
  const { standard, floor } = intrinsicGas(data);
  if (standard + execution < floor) return floor;
  return standard + execution;
}
