import { type Address, checksumAddress, type Hex } from "viem";
import * as z from "zod";
import { MAX_UINT256 } from "../../lib/amount.ts";

/** An unsigned integer; the wire has it as a string here and as a number there. */
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
  .transform((text) => checksumAddress(text.toLowerCase() as Address));
const HashText = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/)
  .transform((text) => text.toLowerCase() as Hex);
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

/** The part of `GET /suggested-fees` that is used. Amounts in smallest units of the input token. */
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
export type SuggestedFees = z.output<typeof SuggestedFees>;

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
export type AcrossApiStatus = (typeof acrossApiStatuses)[number];

const AcrossDepositStatusShape = z.object({
  status: z.enum(acrossApiStatuses),
  originChainId: ChainId,
  destinationChainId: ChainId,
  fillTx: HashText.nullish(),
  fillTxnRef: HashText.nullish(),
  depositRefundTxHash: HashText.nullish(),
  depositRefundTxnRef: HashText.nullish(),
  actionsSucceeded: z.unknown().optional(),
});

/** The part of `GET /deposit/status` that is used; either name of a hash, and only a true or false outcome. */
export const AcrossDepositStatus = AcrossDepositStatusShape.transform((wire) => ({
  status: wire.status,
  originChainId: wire.originChainId,
  destinationChainId: wire.destinationChainId,
  fillTx: wire.fillTx ?? wire.fillTxnRef ?? null,
  refundTx: wire.depositRefundTxHash ?? wire.depositRefundTxnRef ?? null,
  // The official example has the text "null," here.
  actionsSucceeded: typeof wire.actionsSucceeded === "boolean" ? wire.actionsSucceeded : null,
}));
export type AcrossDepositStatus = z.output<typeof AcrossDepositStatus>;

/** An error body: the API's own, or the indexer's behind `deposit/status`. */
export const AcrossErrorBody = z.object({
  code: z.string().optional(),
  error: z.unknown().optional(),
  message: z.string(),
});
