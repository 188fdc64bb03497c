import { type Address, decodeFunctionData, encodeFunctionData, type Hex, parseAbi } from "viem";

/**
 * ABI of the one function of Augustus V6.2 that is accepted: the generic swap of an exact input amount. The functions
 * for single kinds of pools are rejected. Sources: AugustusV6.sol, GenericSwapExactAmountIn.sol.
 */
export const augustusAbi = parseAbi([
  "struct GenericData { address srcToken; address destToken; uint256 fromAmount; uint256 toAmount; uint256 quotedAmount; bytes32 metadata; address beneficiary; }",
  "function swapExactAmountIn(address executor, GenericData swapData, uint256 partnerAndFee, bytes permit, bytes executorData) payable returns (uint256 receivedAmount, uint256 paraswapShare, uint256 partnerShare)",
]);

/** Name of the accepted function, in Velora's API and in the ABI. */
export const AUGUSTUS_METHOD = "swapExactAmountIn";

/** The address that Velora uses for a chain's native currency. */
export const VELORA_NATIVE: Address = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE";

/**
 * Amount of every output that Augustus keeps, in the output token's smallest unit: the beneficiary receives one unit
 * less than the checked output. Source: AugustusFees.sol, `_transferAndLeaveDust`.
 */
export const AUGUSTUS_DUST = 1n;

/**
 * Byte offset of the word with the beneficiary in the calldata: after the selector, the executor and six words of the
 * swap's data, which is a static struct.
 */
export const BENEFICIARY_OFFSET = 4 + 7 * 32;

/**
 * Decoded calldata of `swapExactAmountIn` of Augustus V6.2, Velora's router. Amounts are in the smallest unit of their
 * token.
 */
export interface AugustusSwap {
  /** Contract that swaps. It and `executorData` are opaque; `toAmount` bounds their result. */
  executor: Address;
  executorData: Hex;
  srcToken: Address;
  destToken: Address;
  fromAmount: bigint;
  /** Minimum output before fees, including the unit that the router keeps; the router reverts below it. */
  toAmount: bigint;
  /** Output above which the router may keep the excess. */
  quotedAmount: bigint;
  /** Velora's id of the request and the block of its price; the router does not read it. */
  metadata: Hex;
  beneficiary: Address;
  /** Recipient of a fee, as in the upper 160 bits of `partnerAndFee`. */
  partner: Address;
  /** The fee in basis points and flags, as in the lower 96 bits of `partnerAndFee`. */
  feeData: bigint;
  /** Data of a permit for the input token; `0x` if the allowance is used. */
  permit: Hex;
}

/**
 * Number of bits of `partnerAndFee` below the partner's address. Source: AugustusFees.sol, `parsePartnerAndFeeData`.
 */
const FEE_DATA_BITS = 96n;
/** Bits of `feeData` that contain the fee in basis points. Source: AugustusFees.sol. */
const FEE_PERCENT_MASK = 0x3fffn;

/** Returns the partner's fee of a swap, in basis points of the output. */
export const partnerFeeBps = ({ feeData }: AugustusSwap): bigint => feeData & FEE_PERCENT_MASK;

/**
 * Decodes the calldata of a swap, or returns null for any other calldata. Encodings that are not canonical are
 * accepted, because the transaction to sign is encoded again from the decoded fields.
 */
export function decodeAugustusSwap(data: Hex): AugustusSwap | null {
  try {
    const { args } = decodeFunctionData({ abi: augustusAbi, data });
    const [executor, swapData, partnerAndFee, permit, executorData] = args;
    const partner: Address = `0x${(partnerAndFee >> FEE_DATA_BITS).toString(16).padStart(40, "0")}`;
    const feeData = BigInt.asUintN(Number(FEE_DATA_BITS), partnerAndFee);
    return { executor, executorData, ...swapData, partner, feeData, permit };
  } catch {
    return null;
  }
}

/** Encodes the calldata of a swap from its decoded fields alone. Bytes that the decoder did not read are dropped. */
export function encodeAugustusSwap(swap: AugustusSwap): Hex {
  const { executor, executorData, partner, feeData, permit, ...swapData } = swap;
  const partnerAndFee = (BigInt(partner) << FEE_DATA_BITS) | feeData;
  return encodeFunctionData({
    abi: augustusAbi,
    functionName: AUGUSTUS_METHOD,
    args: [executor, swapData, partnerAndFee, permit, executorData],
  });
}
