import {
  type Address,
  encodeFunctionData,
  type Hex,
  isAddressEqual,
  isHex,
  parseAbi,
  size,
  zeroAddress,
} from "viem";
import { MAX_UINT256 } from "../lib/amount.ts";
import { once } from "../lib/once.ts";
import type { UserCall } from "../orders/order-wallet-calls.ts";
import { assertSameRouterCall, callMismatch } from "../router/compare-router-calls.ts";
import {
  callOnlyStep,
  encodeRouterCall,
  type RouterCall,
  type RouterStep,
  spendingStep,
} from "../router/router-codec.ts";
import { adapterOf } from "../vaults/families/vault-families.ts";
import type { DepositCall } from "../vaults/vault-adapter.ts";
import { type DepositIntent, paysNative } from "./deposit-intent.ts";

/**
 * The minimums and the deadline of a deposit. `minIn`: what must arrive, in the deposited token's smallest unit;
 * `minShares`: in the share token's smallest unit, or null if no contract enforces a minimum.
 */
export interface DepositFloors {
  minIn: bigint;
  minShares: bigint | null;
  /**
   * Floors of a deposit whose amount a bridge determines: shares per unit times 10^27, and an absolute minimum or zero.
   * Enforced instead of `minShares`, which is what they require for `minIn`.
   */
  perUnit?: { minOutPerIn: bigint; minOut: bigint };
  /** Latest block timestamp at which the Router accepts the deposit, in UNIX seconds. */
  deadline: bigint;
  /** True if the vault's terms say that it takes this deposit as an async request, which it settles later. */
  async?: boolean;
}

const wrappedNativeAbi = once(() => parseAbi(["function deposit() payable"]));

/**
 * Encodes a deposit as the call that the user's wallet sends: to the Router, or to the vault's own entry point. Errors
 * of `toRouterCall` propagate.
 */
export function encodeDepositCall(intent: DepositIntent, floors: DepositFloors): UserCall {
  const { amount } = intent;
  if (intent.entry.via === "user") {
    const { target, data } = vaultCall(intent, floors);
    return { target, value: 0n, data };
  }
  const value = paysNative(intent) ? amount : 0n;
  return { target: intent.entry.address, value, data: encodeRouterCall(toRouterCall(intent, floors)) };
}

/**
 * Encodes the vault's own deposit call, which the user's wallet makes without the Router. If `minShares` is null and
 * the vault's interface takes a minimum, it is one smallest unit of shares.
 */
export function vaultCall(
  intent: DepositIntent,
  floors: Pick<DepositFloors, "minShares" | "async">,
): DepositCall {
  const { vault, user: caller, amount } = intent;
  return adapterOf(vault).encode(vault, { ...vaultDepositTerms(intent, floors), amount, caller });
}

/**
 * Returns the parameters of the Router call that makes a deposit: the order, its steps, and the tokens whose remainders
 * are sent back to the user. Throws a RangeError for an async request, and if `minShares` is null.
 */
export function toRouterCall(intent: DepositIntent, floors: DepositFloors): RouterCall {
  const { vault, user } = intent;
  const call = adapterOf(vault).encode(vault, {
    ...vaultDepositTerms(intent, floors),
    amount: intent.amount,
    caller: null,
  });
  if (call.async) throw new RangeError("an async request must be made by its owner, not by the Router");
  if (floors.minShares === null) throw new RangeError("a Router deposit needs minimum shares");
  const native = paysNative(intent);
  return {
    order: {
      tokenIn: native ? zeroAddress : intent.token.address,
      amountIn: intent.amount,
      minIn: floors.minIn,
      nativeFee: 0n,
      tokenOut: call.shareToken,
      receiver: user,
      minOut: floors.perUnit?.minOut ?? floors.minShares,
      minOutPerIn: floors.perUnit?.minOutPerIn ?? 0n,
      deadline: floors.deadline,
      // Shares minted to the executor are paid out to the user, and counted when they arrive.
      direct: call.sharesTo === "receiver",
      refundTo: user,
      ref: intent.ref,
      partnerId: intent.partnerHash,
      partnerType: intent.partnerType,
    },
    steps: [...(native ? [wrapStep(vault.asset.address)] : []), depositStep(intent, call)],
    sweep: native ? [vault.asset.address] : [],
  };
}

/** Returns the parameters of the vault's deposit call that do not depend on whether the user or the Router makes it. */
function vaultDepositTerms(
  intent: DepositIntent,
  { minShares, async = false }: Pick<DepositFloors, "minShares" | "async">,
) {
  const token = paysNative(intent) ? intent.vault.asset : intent.token;
  return { token, receiver: intent.user, minShares: minShares ?? 1n, async };
}

/**
 * Returns the Router step that wraps the whole native balance of the Router's executor, the contract that runs an
 * order's steps.
 */
function wrapStep(wrappedNative: Address): RouterStep {
  const data = encodeFunctionData({ abi: wrappedNativeAbi(), functionName: "deposit" });
  return callOnlyStep({ target: wrappedNative, value: MAX_UINT256, data });
}

/** Returns the Router step that deposits the executor's whole balance of the paid token into the vault. */
function depositStep(intent: DepositIntent, call: DepositCall): RouterStep {
  const asset = paysNative(intent) ? intent.vault.asset.address : intent.token.address;
  const { target, spender, amountOffset, amountScale, data } = call;
  return spendingStep({
    target,
    spender,
    token: asset,
    offset: BigInt(amountOffset),
    scale: amountScale,
    data,
  });
}

/**
 * Verifies an encoded deposit against its intent: decodes a Router call, or compares a call of the vault with a second
 * encoding. Throws `upstream_rejected` with the name of the first field that differs.
 */
export function verifyDepositCall(
  intent: DepositIntent,
  built: { call: UserCall; floors: DepositFloors },
): void {
  const { call, floors } = built;
  if (!isHex(call.data) || size(call.data) < 4) throw callMismatch("data");
  if (call.value !== (paysNative(intent) ? intent.amount : 0n)) throw callMismatch("value");
  if (intent.entry.via === "user") {
    const expected = vaultCall(intent, floors);
    if (!isAddressEqual(call.target, intent.vault.entryPoint)) throw callMismatch("target");
    if (call.data !== expected.data) throw callMismatch("data");
    return;
  }
  if (!isAddressEqual(call.target, intent.entry.address)) throw callMismatch("target");
  verifyRouterCall(intent, { data: call.data, expected: toRouterCall(intent, floors) });
}

/**
 * Requires every field of a Router call to equal the expected call's, and its receiver, refund address and vault to be
 * the intent's. Throws `upstream_rejected` with the name of the first field that differs.
 */
export function verifyRouterCall(intent: DepositIntent, built: { data: Hex; expected: RouterCall }): void {
  const { order, steps } = built.expected;
  assertSameRouterCall(built.data, built.expected);
  if (!isAddressEqual(order.receiver, intent.user)) throw callMismatch("receiver");
  if (!isAddressEqual(order.refundTo, intent.user)) throw callMismatch("refundTo");
  const deposit = steps[paysNative(intent) ? 1 : 0];
  if (deposit === undefined || !isAddressEqual(deposit.target, intent.vault.entryPoint))
    throw callMismatch("step target");
  if (!isAddressEqual(deposit.spender, intent.vault.spender)) throw callMismatch("step spender");
}
