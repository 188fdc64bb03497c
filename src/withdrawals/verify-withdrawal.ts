import { type Address, decodeFunctionData, type Hex, isAddressEqual, parseAbi } from "viem";
import { isNative, sameAddress } from "../lib/address.ts";
import { fractionToParts, MAX_UINT256, PARTS_PER_BILLION } from "../lib/amount.ts";
import { once } from "../lib/once.ts";
import { orderRef } from "../orders/order-attribution.ts";
import { orderDeadline } from "../orders/order-floors.ts";
import type { UserCall } from "../orders/order-wallet-calls.ts";
import { callMismatch } from "../router/compare-router-calls.ts";
import { depositRouterAddress } from "../router/router-address.ts";
import {
  decodeRouterCall,
  encodeRouterCall,
  type RouterCall,
  type RouterOrder,
  type RouterPatch,
  type RouterStep,
  routerSelf,
} from "../router/router-codec.ts";
import type { ExitMode } from "../vaults/vault-exits.ts";
import { type DecodedExitCall, decodeExitCall, isAddressWord } from "./verify-withdrawal-calldata.ts";
import type { WithdrawalOrder } from "./withdrawal-order.ts";

const MIDAS_DECIMALS = 18;
const PER_UNIT_SCALE = 10n ** 27n;
/** Smallest `minOutPerIn` with which an order may take more shares than were read. */
const LEAST_PER_SHARE = 10n ** 6n;
const BPS = 10_000n;

/**
 * What a built withdrawal must contain. It is not read from the calldata that is verified.
 */
export interface ExpectedWithdrawal {
  order: WithdrawalOrder;
  mode: ExitMode;
  /**
   * Shares in a redemption of all shares, in the share token's smallest unit: the user's balance on chain, or more if
   * the vault's call claims further shares first.
   */
  held: bigint;
  /** Timestamp of the block at which the on-chain state was read, in UNIX seconds. */
  readAt: number;
  /** Minimum output, in the smallest unit of the output token. */
  least: bigint;
  /**
   * True if the withdrawal brings the requested token, so no swap or bridge follows: the vault pays it, or pays its
   * wrapped form through the Router, which unwraps it.
   */
  pays: boolean;
}

/** Throws `upstream_rejected` with the field's name if a condition is false. */
export function requireSame(holds: boolean, field: string): asserts holds {
  if (!holds) throw callMismatch(field);
}

const sharesOf = ({ order, held }: Pick<ExpectedWithdrawal, "order" | "held">): bigint =>
  order.shares === "all" ? held : order.shares;

/**
 * Compares the calldata of a built redemption or request with the user's order, except a queue's terms. A Router order
 * must contain the minimum output; in a call without the Router, a minimum is checked only if the call has one. Throws
 * `upstream_rejected` with the name of the first field that differs.
 */
export function verifyWithdrawal(asked: ExpectedWithdrawal, call: UserCall): void {
  requireSame(call.value === 0n, "value");
  if (!isAddressEqual(call.target, depositRouterAddress)) {
    verifyOwnCall(asked, call);
    return;
  }
  const { order, steps, sweep } = decodeOrder(call);
  requireSame(asked.mode === "instant", "mode");
  verifyShareOrder(asked, order);
  verifyFloor(asked, order);
  requireSame(order.nativeFee === 0n, "nativeFee");
  const token = verifyTokenOut(asked, order.tokenOut);
  const [redeem, unwrap, ...more] = steps;
  verifyRedeemStep(asked, { step: redeem, token });
  const unwraps = isNative(order.tokenOut);
  requireSame(more.length === 0 && (unwrap !== undefined) === unwraps, "steps");
  if (unwrap !== undefined) verifyUnwrapStep(unwrap, token);
  // A rest of the wrapped token must return to the user.
  if (unwraps) verifySweep(sweep, [token]);
}

/** Verifies the vault's own call, which the owner of the shares sends without the Router. */
function verifyOwnCall(asked: ExpectedWithdrawal, call: UserCall): void {
  const { order, mode } = asked;
  const { user, slippage } = order;
  const read = readVaultCall(asked, call);
  const queues = order.exits.redeemQueues === true && mode === "request";
  requireSame(read.async === (mode !== "instant" && !queues), "mode");
  requireSame(read.shares?.value === sharesOf(asked), "shares");
  requireSame(read.receiver === null || isAddressWord(read.receiver, user), "receiver");
  requireSame(read.owner === null || isAddressWord(read.owner, user), "owner");
  const tokens = paidTokens(asked);
  const { token } = read;
  const paid = tokens.find((address) => token === null || isAddressWord(token, address));
  requireSame(paid !== undefined, "token");
  requireSame(
    minimumOf(asked, { read, token: paid }) >= (read.minimum === null ? 0n : asked.least),
    "minAssets",
  );
  verifyLoss(read, slippage);
}

/**
 * Decodes a call of the vault. Throws `upstream_rejected` unless it is a known redemption function at the contract that
 * the vault's registry entry names for it.
 */
function readVaultCall(
  { order }: ExpectedWithdrawal,
  call: Pick<UserCall, "target" | "data">,
): DecodedExitCall {
  const read = decodeExitCall(order.vault, call.data);
  requireSame(read !== null, "data");
  requireSame(read.target !== null && isAddressEqual(call.target, read.target), "target");
  return read;
}

/**
 * Returns the tokens in which the vault may pay: if it pays the requested token, only that token or its wrapped form;
 * otherwise, every token that it pays in this mode.
 */
export function paidTokens({ order, mode, pays }: ExpectedWithdrawal): Address[] {
  const { vault, exits, to } = order;
  const payable = exits.tokens(vault, mode).map(({ address }) => address);
  if (!pays) return payable;
  const here = to.chainId === vault.chainId;
  const { wrappedNative } = order.client.definition;
  return payable.filter(
    (address) =>
      here &&
      (isAddressEqual(address, to.token) ||
        (isNative(to.token) && wrappedNative !== null && isAddressEqual(address, wrappedNative))),
  );
}

/**
 * Returns the minimum payment in the calldata of a vault's own call, in the token's smallest unit. Zero if the call has
 * none.
 */
function minimumOf(asked: ExpectedWithdrawal, of: { read: DecodedExitCall; token: Address }): bigint {
  const { minimum, minimumIn18 } = of.read;
  if (minimum === null || !minimumIn18) return minimum ?? 0n;
  const { order, mode } = asked;
  const found = order.exits.tokens(order.vault, mode).find((one) => sameAddress(one.address, of.token));
  const decimals = found?.decimals ?? MIDAS_DECIMALS;
  const [more, fewer] = [Math.max(0, decimals - MIDAS_DECIMALS), Math.max(0, MIDAS_DECIMALS - decimals)];
  return (minimum * 10n ** BigInt(more)) / 10n ** BigInt(fewer);
}

function verifyLoss({ maxLossBps }: DecodedExitCall, slippage: number): void {
  if (maxLossBps === null) return;
  requireSame(maxLossBps * PARTS_PER_BILLION <= fractionToParts(slippage) * BPS, "maxLoss");
}

/**
 * Decodes a Router call. Throws `upstream_rejected` for another contract or function, and for any encoding other than
 * the canonical one.
 */
export function decodeOrder(call: Pick<UserCall, "target" | "data">): RouterCall {
  requireSame(isAddressEqual(call.target, depositRouterAddress), "target");
  try {
    const decoded = decodeRouterCall(call.data);
    // Rejects trailing bytes and any other encoding of the same values.
    if (encodeRouterCall(decoded) === call.data) return decoded;
  } catch {
    // Handled below: what cannot be decoded is not what was asked for.
  }
  throw callMismatch("data");
}

/**
 * Verifies the fields that all Router orders paid with shares have, such as token, amount, receiver and deadline.
 * Throws `upstream_rejected` with the name of the first field that differs.
 */
export function verifyShareOrder(
  asked: Pick<ExpectedWithdrawal, "order" | "held" | "readAt">,
  built: RouterOrder,
): void {
  const { order, readAt } = asked;
  const shares = sharesOf(asked);
  requireSame(isAddressEqual(built.tokenIn, order.vault.shareToken), "tokenIn");
  const counts = order.shares === "all" && built.minOutPerIn >= LEAST_PER_SHARE;
  requireSame(built.amountIn === shares || (counts && built.amountIn === MAX_UINT256), "amountIn");
  requireSame(built.minIn === shares, "minIn");
  requireSame(isAddressEqual(built.receiver, order.user), "receiver");
  requireSame(isAddressEqual(built.refundTo, order.user), "refundTo");
  requireSame(built.ref === orderRef(order.trackingId), "ref");
  requireSame(built.partnerId === order.partnerHash, "partnerId");
  requireSame(built.partnerType === order.partnerType, "partnerType");
  const now = BigInt(readAt);
  requireSame(built.deadline > now && built.deadline <= orderDeadline(readAt), "deadline");
}

/**
 * Verifies that the order enforces at least the minimum output, which must be positive, and, if it takes further shares,
 * the minimum per share. Throws `upstream_rejected` with the first field that differs.
 */
export function verifyFloor(asked: ExpectedWithdrawal, built: RouterOrder): void {
  const { least } = asked;
  requireSame(!built.direct, "direct");
  requireSame(least > 0n && built.minOut >= least, "minOut");
  if (built.amountIn !== MAX_UINT256) return;
  // Rounded down once when it was encoded.
  const perUnit = (least * PER_UNIT_SCALE) / sharesOf(asked);
  requireSame(built.minOutPerIn >= perUnit, "minOutPerIn");
}

/** Throws `upstream_rejected` unless the Router is to return to the user what remains of each of these tokens. */
export function verifySweep(sweep: readonly Address[], tokens: readonly Address[]): void {
  const returned = tokens.every((token) => sweep.some((one) => isAddressEqual(one, token)));
  requireSame(returned, "sweep");
}

/** Verifies the token that the Router pays to the user, and returns the token in which the vault pays. */
function verifyTokenOut(asked: ExpectedWithdrawal, tokenOut: Address): Address {
  const { to, client } = asked.order;
  if (asked.pays) requireSame(isAddressEqual(tokenOut, to.token), "tokenOut");
  const wrapped = isNative(tokenOut) ? client.definition.wrappedNative : tokenOut;
  const paid = paidTokens(asked).find((one) => wrapped !== null && isAddressEqual(one, wrapped));
  requireSame(paid !== undefined, "tokenOut");
  return paid;
}

/**
 * Verifies the step in which the Router's executor redeems the shares that it holds, and that it approves nothing else.
 * Does not compare a minimum in the call. Throws `upstream_rejected` with the first field that differs.
 */
export function verifyRedeemStep(
  asked: ExpectedWithdrawal,
  { step, token }: { step: RouterStep | undefined; token: Address },
): void {
  requireSame(step !== undefined, "steps");
  const { shareToken } = asked.order.vault;
  const read = readVaultCall(asked, { target: step.target, data: step.data });
  requireSame(!read.async, "mode");
  requireSame(step.value === 0n, "step value");
  requireSame(isNative(step.needToken) && step.needAmount === 0n, "step needToken");
  requireSame(read.token === null || isAddressWord(read.token, token), "step token");
  verifyLoss(read, asked.order.slippage);
  const own = [read.receiver, read.owner].flatMap((word) => word ?? []);
  const left = step.patches.filter(({ offset }) => offset !== read.shares?.offset);
  const amounts = step.patches.filter(({ offset }) => offset === read.shares?.offset);
  requireSame(
    amounts.length === 1 && amounts.every((patch) => writesBalance(patch, shareToken)),
    "step shares",
  );
  requireSame(
    left.length === own.length && own.every(({ offset }) => left.some((patch) => writesSelf(patch, offset))),
    "step receiver",
  );
  verifyAllowance(step, { token: shareToken, spender: step.target });
}

const writesBalance = ({ token, mul, div }: RouterPatch, of: Address): boolean =>
  isAddressEqual(token, of) && (mul === 0n ? 1n : mul) === (div === 0n ? 1n : div);

const writesSelf = ({ token, offset }: RouterPatch, at: bigint): boolean =>
  offset === at && isAddressEqual(token, routerSelf);

/** Verifies that a step approves nothing, or only the given token for the given contract. */
function verifyAllowance(step: RouterStep, of: { token: Address; spender: Address }): void {
  const none = isNative(step.approveToken) && isNative(step.spender);
  const meant = isAddressEqual(step.approveToken, of.token) && isAddressEqual(step.spender, of.spender);
  requireSame(none || meant, "step spender");
}

const unwrapAbi = once(() => parseAbi(["function withdraw(uint256 amount)"]));

/** Verifies the step that unwraps the executor's whole balance of the wrapped native token. */
function verifyUnwrapStep(step: RouterStep, wrapped: Address): void {
  requireSame(isAddressEqual(step.target, wrapped), "step target");
  requireSame(decodedWith(unwrapAbi(), step.data) !== null, "step data");
  requireSame(step.value === 0n && isNative(step.needToken) && step.needAmount === 0n, "step value");
  requireSame(isNative(step.approveToken) && isNative(step.spender), "step spender");
  const [patch, ...more] = step.patches;
  requireSame(more.length === 0 && patch?.offset === 4n && writesBalance(patch, wrapped), "step patches");
}

function decodedWith(abi: ReturnType<typeof unwrapAbi>, data: Hex): readonly unknown[] | null {
  try {
    return decodeFunctionData({ abi, data }).args;
  } catch {
    return null;
  }
}
