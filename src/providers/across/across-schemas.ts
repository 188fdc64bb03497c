import { getAddress } from "viem";
import * as z from "zod";
import { RpcWord } from "../../chains/rpc-values.ts";
import { MAX_UINT256 } from "../../lib/amount.ts";

/** An unsigned integer; the API sends it as a string or as a number, depending on the field. */
const Uint = z
  .union([z.string().regex(/^\d{1,78}$/), z.int().nonnegative()])
  .transform(BigInt)
  .refine((value) => value <= MAX_UINT256, "does not fit uint256");
/** Unix seconds as the SpokePool holds them. */
const Seconds = Uint.refine((value) => value < 2n ** 32n, "does not fit uint32").transform(Number);
const ChainId = Uint.refine((value) => value <= BigInt(Number.MAX_SAFE_INTEGER)).transform(Number);
const AddressText = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((text) => getAddress(text));
const Duration = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\d{1,9}(\.\d+)?$/)
      .transform(Number),
  ])
  .pipe(z.number().nonnegative().max(10_000_000));
const Token = z.object({ address: AddressText, decimals: z.int().min(0).max(77), chainId: ChainId });

/**
 * The fields of `GET /suggested-fees` that we use. Amounts in the smallest unit of the input token, `outputAmount` in
 * that of the output token.
 */
export const SuggestedFees = z.object({
  estimatedFillTimeSec: Duration,
  timestamp: Seconds,
  isAmountTooLow: z.boolean(),
  exclusiveRelayer: AddressText,
  exclusivityDeadline: Seconds,
  fillDeadline: Seconds,
  outputAmount: Uint,
  spokePoolAddress: AddressText,
  destinationSpokePoolAddress: AddressText,
  limits: z.object({ minDeposit: Uint, maxDeposit: Uint }),
  inputToken: Token,
  outputToken: Token,
});
/** A parsed quote of `GET /suggested-fees`. */
export type SuggestedFees = z.output<typeof SuggestedFees>;

/** Values of `status` in `GET /deposit/status`. Source: Across API. */
export const acrossApiStatuses = [
  "pending",
  "filled",
  "expired",
  "refunded",
  "slowFillRequested",
  "slowFilled",
  "deposit-pending",
  "deposit-failed",
] as const;
/** A status of `GET /deposit/status`. */
export type AcrossApiStatus = (typeof acrossApiStatuses)[number];

const AcrossDepositStatusShape = z.object({
  status: z.enum(acrossApiStatuses),
  originChainId: ChainId,
  destinationChainId: ChainId,
  fillTx: RpcWord.nullish(),
  fillTxnRef: RpcWord.nullish(),
  depositRefundTxHash: RpcWord.nullish(),
  depositRefundTxnRef: RpcWord.nullish(),
  actionsSucceeded: z.unknown().optional(),
});

/** The fields of `GET /deposit/status` that we use; hashes come under either of two names. */
export const AcrossDepositStatus = AcrossDepositStatusShape.transform((wire) => ({
  status: wire.status,
  originChainId: wire.originChainId,
  destinationChainId: wire.destinationChainId,
  fillTx: wire.fillTx ?? wire.fillTxnRef ?? null,
  refundTx: wire.depositRefundTxHash ?? wire.depositRefundTxnRef ?? null,
  // The API's documentation shows the text "null," for this boolean.
  actionsSucceeded: typeof wire.actionsSucceeded === "boolean" ? wire.actionsSucceeded : null,
}));
/** A parsed status of `GET /deposit/status`. */
export type AcrossDepositStatus = z.output<typeof AcrossDepositStatus>;

/** An error body of the API, or of the indexer behind `deposit/status`. */
export const AcrossErrorBody = z.object({
  code: z.string().optional(),
  error: z.unknown().optional(),
  message: z.string(),
});
