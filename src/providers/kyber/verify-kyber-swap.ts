import { type Address, type Hex, isAddressEqual } from "viem";
import { isNative } from "../../lib/address.ts";
import { deductParts } from "../../lib/amount.ts";
import type { RouterStepUse, TransferRequest } from "../provider.ts";
import {
  decodeKyberSwap,
  encodeKyberSwap,
  KYBER_NATIVE,
  type KyberSwapDescription,
  kyberFlags,
  kyberReceiverOffset,
} from "./kyber-calldata.ts";
import type { KyberDeployment } from "./kyber-deployments.ts";
import { kyberRejection } from "./kyber-errors.ts";
import type { KyberBuild } from "./kyber-schemas.ts";

/** Flags that a swap may have. Any other flag could change what the router takes or weaken the minimum output. */
const ALLOWED_FLAGS =
  kyberFlags.shouldClaim |
  kyberFlags.simpleSwap |
  kyberFlags.feeOnOutput |
  kyberFlags.feeInBps |
  kyberFlags.approveFund |
  kyberFlags.unread;
/** Maximum fee of a swap, in basis points of the input or the output: 0.5%. This service requests no fee. */
const MAX_FEE_BPS = 50n;
const BPS = 10_000n;

/** KyberSwap's response, with the request and deployment that it must match. */
export interface KyberVerifyInput {
  request: TransferRequest;
  deployment: KyberDeployment;
  answer: KyberBuild["data"];
}

/**
 * A verified swap: the transaction to sign (`value` in wei), with its expected and minimum output in the output token's
 * smallest unit.
 */
export interface VerifiedKyberSwap {
  transaction: { to: Address; data: Hex; value: bigint };
  toAmount: bigint;
  toAmountMin: bigint;
  /** Position of the receiver in the calldata, which a Router order needs to contain the swap as a step. */
  asStep: RouterStepUse;
}

/**
 * Decodes a swap's transaction, which was asked for with the router as recipient, compares the fields that move money
 * with the request, and encodes all decoded fields again, with the user as receiver. Executor and data stay opaque. The
 * minimum output bounds what they do only if nobody owes the output token to the receiver. Throws `upstream_rejected`.
 */
export function verifyKyberSwap({ request, deployment, answer }: KyberVerifyInput): VerifiedKyberSwap {
  const native = isNative(request.fromToken);
  const value = native ? request.amount : 0n;
  requireMatch(isAddressEqual(answer.routerAddress, deployment.router), "routerAddress");
  requireMatch(answer.amountIn === request.amount, "amountIn");
  requireMatch(answer.amountOut > 0n, "amountOut");
  requireMatch((answer.transactionValue ?? value) === value, "transactionValue");
  const swap = decodeKyberSwap(answer.data);
  requireMatch(swap !== null, "data");
  const { desc, executorData } = swap;
  requireMatch(executorData !== "0x", "executorData");
  requireMatch(swap.kind === "swap" || !native, "selector");
  requireMatch(isAddressEqual(desc.srcToken, kyberToken(request.fromToken)), "srcToken");
  requireMatch(isAddressEqual(desc.dstToken, kyberToken(request.toToken)), "dstToken");
  requireMatch(isAddressEqual(desc.dstReceiver, deployment.router), "dstReceiver");
  requireMatch(desc.amount === request.amount, "amount");
  requireMatch(desc.permit === "0x", "permit");
  requireMatch((desc.flags & ~ALLOWED_FLAGS) === 0n, "flags");
  checkInputs(desc);
  checkFees(desc, answer.amountOut);
  requireMatch(desc.minReturnAmount >= deductParts(answer.amountOut, request.slippage), "minReturnAmount");
  requireMatch(desc.minReturnAmount > 0n && desc.minReturnAmount <= answer.amountOut, "minReturnAmount");
  // What the executor pays to the router, the router passes on to the receiver that the calldata name.
  const own = { ...swap, desc: { ...desc, dstReceiver: request.user } };
  return {
    transaction: { to: deployment.router, data: encodeKyberSwap(own), value },
    toAmount: answer.amountOut,
    toAmountMin: desc.minReturnAmount,
    asStep: { receiverOffset: kyberReceiverOffset(own), leftovers: [], required: true },
  };
}

/** Returns the address that KyberSwap's API uses for a token. It differs only for the native currency. */
export const kyberToken = (token: Address): Address => (isNative(token) ? KYBER_NATIVE : token);

/** Throws `upstream_rejected` if the contracts that swap receive more than the amount paid. */
function checkInputs({ srcReceivers, srcAmounts, amount }: KyberSwapDescription): void {
  requireMatch(srcReceivers.length === srcAmounts.length, "srcReceivers");
  requireMatch(sumOf(srcAmounts) <= amount, "srcAmounts");
}

/**
 * Throws `upstream_rejected` if the fees exceed 0.5%. In any case, the minimum output holds after fees, so the slippage
 * limits them too.
 */
function checkFees(desc: KyberSwapDescription, amountOut: bigint): void {
  const { feeReceivers, feeAmounts, flags } = desc;
  requireMatch(feeReceivers.length === feeAmounts.length, "feeReceivers");
  const fees = sumOf(feeAmounts);
  const onOutput = (flags & kyberFlags.feeOnOutput) !== 0n;
  const inBps = (flags & kyberFlags.feeInBps) !== 0n;
  const whole = inBps ? BPS : onOutput ? amountOut : desc.amount;
  requireMatch(fees * BPS <= whole * MAX_FEE_BPS, "feeAmounts");
}

const sumOf = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);

function requireMatch(holds: boolean, field: string): asserts holds {
  if (!holds) throw kyberRejection(field);
}
