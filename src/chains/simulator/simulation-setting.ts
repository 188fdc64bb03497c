import type { Address, Hex } from "viem";
import * as z from "zod";
import { once } from "../../lib/once.ts";
import type { ChainClient } from "../chain-client.ts";
import { RpcQuantity, RpcWord } from "../rpc-values.ts";

/** The fees of a chain's head block and whether contracts see randomness in it, as `readHeadFees` reads them. */
export interface HeadFees {
  /** Price of one unit of gas that a node suggests, in wei. */
  gasPrice: bigint;
  /** Base fee of the head block in wei, or null on chains without EIP-1559. */
  baseFee: bigint | null;
  /** True if the head block has a random value (`block.prevrandao`), as on Ethereum since proof of stake. */
  isRandom: boolean;
}

/** What a simulated transaction shows to contracts, so that it resembles a real one. */
export interface SimulationSetting {
  /** As in `HeadFees`. */
  gasPrice: bigint;
  baseFee: bigint | null;
  /** Value of `block.prevrandao`, or null to leave it to the node. */
  prevRandao: Hex | null;
  /** Gas limit of one call. */
  gas: bigint;
  /** The payer's balance of the native currency for gas, in wei. */
  funds: bigint;
  /** What a payer whose token balance is overridden holds beyond the payment, in thousandths of it. */
  surplus: bigint;
  /**
   * Account whose code makes the reads around the calls, as static calls, in which no contract can note that it was
   * read. Only for `eth_simulateV1`.
   */
  reader: Address;
}

const HeadBlock = once(() =>
  z.object({
    baseFeePerGas: RpcQuantity.nullish(),
    difficulty: RpcQuantity.nullish(),
    mixHash: RpcWord.nullish(),
  }),
);

/** Reads the fees of a chain's head in two parallel requests. Errors of the chain client propagate. */
export async function readHeadFees(client: ChainClient): Promise<HeadFees> {
  const [gasPrice, block] = await Promise.all([
    client.ask({ method: "eth_gasPrice", params: [], read: (answer) => RpcQuantity.parse(answer) }),
    client.ask({
      method: "eth_getBlockByNumber",
      params: ["latest", false],
      read: (answer) => HeadBlock().parse(answer),
    }),
  ]);
  const { baseFeePerGas = null, difficulty = null, mixHash = null } = block;
  const isRandom = (difficulty ?? 0n) === 0n && mixHash !== null && BigInt(mixHash) !== 0n;
  return { gasPrice, baseFee: baseFeePerGas, isRandom };
}

/** Gas limit of a simulated call: below the largest of a transaction (EIP-7825) and the blocks of most chains. */
const CALL_GAS = 12_000_000n;

/** Largest surplus of a payer, in thousandths of the payment. */
const MAX_SURPLUS = 3_000n;

/**
 * Returns a setting for one simulation. `random` consists of 64 unpredictable hexadecimal digits, which determine the
 * random value of the block and the payer's balances. `reader` must be an unpredictable address.
 */
export function createSetting(
  { gasPrice, baseFee, isRandom }: HeadFees,
  { random, reader }: { random: string; reader: Address },
): SimulationSetting {
  const digits: Hex = `0x${random}`;
  const least = 6n * CALL_GAS * (gasPrice === 0n ? 1n : gasPrice);
  return {
    ...{ gasPrice, baseFee, gas: CALL_GAS, reader },
    prevRandao: isRandom ? digits : null,
    funds: least + (4n * least * (BigInt(digits) % 10_007n)) / 10_007n,
    surplus: 1n + (BigInt(digits) % MAX_SURPLUS),
  };
}

/** Returns the fields of a call in `eth_simulateV1` and `eth_call` by which it pays for gas, and its gas limit. */
export function feeFields({ gasPrice, baseFee, gas }: SimulationSetting): Record<string, bigint> {
  // The base fee may rise before the simulation; what is not needed is not paid.
  const maxFeePerGas = 2n * gasPrice;
  if (baseFee === null) return { gas, gasPrice };
  return { gas, maxFeePerGas, maxPriorityFeePerGas: gasPrice > baseFee ? gasPrice - baseFee : 0n };
}
