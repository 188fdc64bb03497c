import { type Address, encodeFunctionData, erc20Abi, type Hex, parseAbi, zeroAddress } from "viem";
import { isNative } from "../lib/address.ts";
import { MAX_UINT256 } from "../lib/amount.ts";
import { once } from "../lib/once.ts";
import { encodeRouterDeposit, plainStep, type RouterCall, type RouterStep } from "../router/encode.ts";
import type { DepositCall } from "../vaults/adapter.ts";
import { adapterOf } from "../vaults/adapters.ts";
import { type Intent, paysNative } from "./intent.ts";

/** One call of the user's on the vault's chain. `value` in wei. */
export interface UserCall {
  target: Address;
  value: bigint;
  data: Hex;
}

/** The least that must arrive and be minted. `minShares` null: nothing on chain enforces one. */
export interface Floors {
  minIn: bigint;
  minShares: bigint | null;
  /** Unix seconds, by the chain's clock. */
  deadline: bigint;
  /** Whether the vault takes it as a request now, as its terms say; only families that can do both are told. */
  async?: boolean;
}

const wrappedNativeAbi = once(() => parseAbi(["function deposit() payable"]));

/** Encodes the deposit as the user sends it: one call to the Router, or to the vault's own entry point. */
export function encodeDeposit(intent: Intent, floors: Floors): UserCall {
  const { amount } = intent;
  if (intent.entry.via === "user") {
    const { target, data } = userDeposit(intent, floors);
    return { target, value: 0n, data };
  }
  const value = paysNative(intent) ? amount : 0n;
  return { target: intent.entry.address, value, data: encodeRouterDeposit(routerCall(intent, floors)) };
}

/** The vault's own call, as the user makes it. */
export function userDeposit(intent: Intent, floors: Pick<Floors, "minShares" | "async">): DepositCall {
  const { vault, user: caller, amount } = intent;
  return adapterOf(vault).encode(vault, { ...vaultDeposit(intent, floors), amount, caller });
}

/** The Router call that carries out an intent. */
export function routerCall(intent: Intent, floors: Floors): RouterCall {
  const { vault, user } = intent;
  const call = adapterOf(vault).encode(vault, {
    ...vaultDeposit(intent, floors),
    amount: intent.amount,
    caller: null,
  });
  if (call.async) throw new RangeError("a request belongs to whoever makes it");
  if (floors.minShares === null) throw new RangeError("the Router enforces a minimum of shares");
  const native = paysNative(intent);
  return {
    deposit: {
      asset: native ? zeroAddress : intent.token.address,
      amount: intent.amount,
      minIn: floors.minIn,
      shareToken: call.shareToken,
      receiver: user,
      minShares: floors.minShares,
      deadline: floors.deadline,
      refundTo: user,
      ref: intent.ref,
      partnerId: intent.partnerHash,
      partnerType: intent.partnerType,
    },
    steps: [
      ...(native ? [wrapStep(vault.asset.address)] : []),
      depositStep(intent, call),
      ...(call.sharesTo === "caller" ? [forwardStep(call.shareToken, user)] : []),
    ],
    sweep: native ? [vault.asset.address] : [],
  };
}

/** What every encoding of the intent's deposit has in common. */
function vaultDeposit(intent: Intent, { minShares, async = false }: Pick<Floors, "minShares" | "async">) {
  const token = paysNative(intent) ? intent.vault.asset : intent.token;
  return { token, receiver: intent.user, minShares: minShares ?? 1n, async };
}

/** Wraps all the native token the Executor holds. */
function wrapStep(wrappedNative: Address): RouterStep {
  const data = encodeFunctionData({ abi: wrappedNativeAbi(), functionName: "deposit" });
  return plainStep({ target: wrappedNative, value: MAX_UINT256, data });
}

/** Deposits all of the asset the Executor holds. */
function depositStep(intent: Intent, call: DepositCall): RouterStep {
  const asset = paysNative(intent) ? intent.vault.asset.address : intent.token.address;
  return {
    target: call.target,
    value: 0n,
    approveToken: asset,
    spender: call.spender,
    patchToken: asset,
    patchOffset: BigInt(call.amountOffset),
    patchMul: call.amountScale,
    data: call.data,
  };
}

/** Byte offset of the amount in `transfer(address to, uint256 amount)`. */
const TRANSFER_AMOUNT_OFFSET = 36n;

/** Passes all shares that were minted to the Executor on to their owner. */
function forwardStep(shareToken: Address, user: Address): RouterStep {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [user, 0n] });
  const step = plainStep({ target: shareToken, value: 0n, data });
  return { ...step, patchToken: shareToken, patchOffset: TRANSFER_AMOUNT_OFFSET, patchMul: 1n };
}

/** The approvals before the deposit, in order; `reset` puts a standing allowance to zero first (USDT's rule). */
export function encodeApprovals(approval: {
  token: Address;
  spender: Address;
  amount: bigint;
  reset: boolean;
}): UserCall[] {
  if (isNative(approval.token)) return [];
  const approve = (amount: bigint): UserCall => ({
    target: approval.token,
    value: 0n,
    data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [approval.spender, amount] }),
  });
  return approval.reset ? [approve(0n), approve(approval.amount)] : [approve(approval.amount)];
}
