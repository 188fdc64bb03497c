import { getAddress } from "viem";
import * as z from "zod";
import { RpcWord } from "../../chains/rpc-values.ts";
import { MAX_UINT256 } from "../../lib/amount.ts";

/** Schema of a uint256, which the API sends as a string or as a number, depending on the field. */
const Uint = z
  .union([z.string().regex(/^\d{1,78}$/), z.int().nonnegative()])
  .transform(BigInt)
  .refine((value) => value <= MAX_UINT256, "does not fit uint256");
/** Schema of a time in seconds that fits the SpokePool's uint32. */
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
 * Schema of the used fields of a `GET /suggested-fees` response. Amounts are in the input token's smallest unit,
 * `outputAmount` in the output token's; `timestamp` and `fillDeadline` are in UNIX seconds,
 * `exclusivityDeadline` is as `exclusivityParameter` in `AcrossTerms`. Source: Across API.
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
/** A parsed `GET /suggested-fees` response: Across's quote for a transfer. */
export type SuggestedFees = z.output<typeof SuggestedFees>;

/**
 * Values of the field `status` in `GET /deposit/status` responses; a response with another value is invalid. Source:
 * Across API.
 */
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
/** A value of the field `status` in `GET /deposit/status` responses. */
export type AcrossApiStatus = (typeof acrossApiStatuses)[number];

const AcrossDepositStatusShape = z.object({
  status: z.enum(acrossApiStatuses),
  originChainId: ChainId,
  destinationChainId: ChainId,
  depositId: z
    .string()
    .regex(/^\d{1,78}$/)
    .nullish()
    .catch(null),
  fillTx: RpcWord.nullish(),
  fillTxnRef: RpcWord.nullish(),
  depositRefundTxHash: RpcWord.nullish(),
  depositRefundTxnRef: RpcWord.nullish(),
  actionsSucceeded: z.unknown().optional(),
});

/**
 * Schema of the used fields of a `GET /deposit/status` response. `depositId`, `fillTx`, `refundTx` and
 * `actionsSucceeded` (whether the destination calls succeeded) are null if the API does not state them. Source: Across
 * API.
 */
export const AcrossDepositStatus = AcrossDepositStatusShape.transform((wire) => ({
  status: wire.status,
  originChainId: wire.originChainId,
  destinationChainId: wire.destinationChainId,
  depositId: wire.depositId == null ? null : BigInt(wire.depositId),
  fillTx: wire.fillTx ?? wire.fillTxnRef ?? null,
  refundTx: wire.depositRefundTxHash ?? wire.depositRefundTxnRef ?? null,
  // The API's documentation shows the text "null," for this boolean.
  actionsSucceeded: typeof wire.actionsSucceeded === "boolean" ? wire.actionsSucceeded : null,
}));
/** A parsed `GET /deposit/status` response: the API's status of a transfer and its transactions. */
export type AcrossDepositStatus = z.output<typeof AcrossDepositStatus>;

/**
 * Schema of the body of an error response from Across's API (`code`) or from the indexer behind `deposit/status`
 * (`error`). Source: Across API.
 */
export const AcrossErrorBody = z.object({
  code: z.string().optional(),
  error: z.unknown().optional(),
  message: z.string(),
});
