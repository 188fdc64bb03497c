import { type Address, decodeFunctionData, encodeFunctionData, type Hex, parseAbi, zeroAddress } from "viem";

/**
 * ABI of the two functions of MetaAggregationRouterV2 that are accepted as swaps. `swapGeneric` is excluded, because it
 * can call any contract. Source: MetaAggregationRouterV2.sol.
 */
export const kyberRouterAbi = parseAbi([
  "struct SwapDescription { address srcToken; address dstToken; address[] srcReceivers; uint256[] srcAmounts; address[] feeReceivers; uint256[] feeAmounts; address dstReceiver; uint256 amount; uint256 minReturnAmount; uint256 flags; bytes permit; }",
  "struct SwapExecution { address callTarget; address approveTarget; bytes targetData; SwapDescription desc; bytes clientData; }",
  "function swap(SwapExecution execution) payable returns (uint256 returnAmount, uint256 gasUsed)",
  "function swapSimpleMode(address caller, SwapDescription desc, bytes executorData, bytes clientData) returns (uint256 returnAmount, uint256 gasUsed)",
]);

/** The address that KyberSwap uses for a chain's native currency. */
export const KYBER_NATIVE: Address = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE";

/** Bits of the field `flags` of a swap. Source: MetaAggregationRouterV2.sol. */
export const kyberFlags = {
  partialFill: 0x01n,
  requiresExtraNative: 0x02n,
  shouldClaim: 0x04n,
  burnFromSender: 0x08n,
  burnFromOrigin: 0x10n,
  simpleSwap: 0x20n,
  feeOnOutput: 0x40n,
  feeInBps: 0x80n,
  approveFund: 0x100n,
  /** KyberSwap sets it in its own swaps, and the router reads no such flag. */
  unread: 0x200n,
} as const;

/**
 * The part of a swap that MetaAggregationRouterV2 itself enforces: tokens, amounts, fees and receiver. Amounts other
 * than fees are in the smallest unit of their token. Source: MetaAggregationRouterV2.sol.
 */
export interface KyberSwapDescription {
  srcToken: Address;
  dstToken: Address;
  /** Contracts to which the router sends the source token, with the amount for each. */
  srcReceivers: readonly Address[];
  srcAmounts: readonly bigint[];
  /** Recipients of a fee, with the amount for each, in smallest units or, with the flag `feeInBps`, in basis points. */
  feeReceivers: readonly Address[];
  feeAmounts: readonly bigint[];
  dstReceiver: Address;
  /** Amount of the source token that the caller pays. */
  amount: bigint;
  /** Minimum output for `dstReceiver`; the router reverts below it (in proportion, if it fills partially). */
  minReturnAmount: bigint;
  flags: bigint;
  permit: Hex;
}

/**
 * A decoded swap. `executor` and `executorData` are opaque: they determine how the tokens are swapped. The minimum
 * output in `desc` bounds the result.
 */
export interface KyberSwap {
  kind: "swap" | "swapSimpleMode";
  executor: Address;
  executorData: Hex;
  desc: KyberSwapDescription;
  /** Text for KyberSwap's statistics; the router only emits it in an event. */
  clientData: Hex;
}

/**
 * Decodes the calldata of a swap, or returns null for any other calldata. Encodings that are not canonical are
 * accepted, because the transaction to sign is encoded again from the decoded fields.
 */
export function decodeKyberSwap(data: Hex): KyberSwap | null {
  try {
    const { functionName, args } = decodeFunctionData({ abi: kyberRouterAbi, data });
    if (functionName === "swapSimpleMode") {
      const [executor, desc, executorData, clientData] = args;
      return { kind: functionName, executor, executorData, desc, clientData };
    }
    const [{ callTarget, targetData, desc, clientData }] = args;
    return { kind: functionName, executor: callTarget, executorData: targetData, desc, clientData };
  } catch {
    return null;
  }
}

/**
 * Encodes the calldata of a swap from its decoded fields alone. Bytes that the decoder did not read are dropped, and
 * `approveTarget`, which `swap` does not use, is zero.
 */
export function encodeKyberSwap({ kind, executor, executorData, desc, clientData }: KyberSwap): Hex {
  return kind === "swap"
    ? encodeFunctionData({
        abi: kyberRouterAbi,
        functionName: "swap",
        args: [
          { callTarget: executor, approveTarget: zeroAddress, targetData: executorData, desc, clientData },
        ],
      })
    : encodeFunctionData({
        abi: kyberRouterAbi,
        functionName: "swapSimpleMode",
        args: [executor, desc, executorData, clientData],
      });
}

/** Two addresses that differ in every byte, used to locate a receiver in calldata. */
const PROBES: readonly [Address, Address] = [
  "0x1111111111111111111111111111111111111111",
  "0x2222222222222222222222222222222222222222",
];
/** Lengths in hex digits: of a selector including the prefix `0x`, and of a 32-byte word. */
const SELECTOR_DIGITS = 10;
const WORD_DIGITS = 64;

/**
 * Returns the byte offset, selector included, of the receiver's word in the calldata that `encodeKyberSwap` returns for
 * a swap. Throws a RangeError if no word depends on the receiver.
 */
export function kyberReceiverOffset(swap: KyberSwap): number {
  const [one, other] = PROBES.map((dstReceiver) =>
    encodeKyberSwap({ ...swap, desc: { ...swap.desc, dstReceiver } }),
  );
  for (let at = SELECTOR_DIGITS; at < (one?.length ?? 0); at += WORD_DIGITS) {
    if (one?.slice(at, at + WORD_DIGITS) !== other?.slice(at, at + WORD_DIGITS)) return at / 2 - 1;
  }
  throw new RangeError("the calldata has no receiver");
}
