import { encodeFunctionData, IntegerOutOfRangeError, parseAbi, zeroAddress } from "viem";
import { isNative } from "../lib/address.ts";
import { MAX_UINT256 } from "../lib/amount.ts";
import { once } from "../lib/once.ts";
import { MIN_OUT_PER_IN, PER_UNIT_SCALE } from "../orders/order-floors.ts";
import type { UserCall } from "../orders/order-wallet-calls.ts";
import { depositRouterAddress } from "../router/router-address.ts";
import {
  callOnlyStep,
  encodeRouterCall,
  type RouterCall,
  type RouterOrder,
  type RouterStep,
  routerSelf,
} from "../router/router-codec.ts";
import type { Warning } from "../schemas/step-schema.ts";
import type { ExitCall } from "../vaults/vault-exits.ts";
import type { ExitWay } from "./exit-preflight.ts";
import { tooManyShares, type WithdrawalOrder } from "./withdrawal-order.ts";

/** A redemption or redemption request, with everything needed to encode it. */
export interface Exit {
  order: WithdrawalOrder;
  way: ExitWay;
  /** Shares to redeem, in the share token's smallest unit. */
  shares: bigint;
  /** Minimum payment of the vault, in the smallest unit of the paid token. At least 1. */
  minAssets: bigint;
  /** Warnings about the vault's own rate for a token that is not its asset. */
  warnings: readonly Warning[];
  /** Latest block timestamp at which the Router accepts the order, in UNIX seconds. */
  deadline: bigint;
}

const wrappedNativeAbi = once(() => parseAbi(["function withdraw(uint256 amount)"]));
/** Byte offset of the amount in `withdraw(uint256)`. */
const UNWRAP_OFFSET = 4n;

/**
 * Encodes the vault's own redemption or request. If the Router redeems, its executor is the caller, the owner of the
 * shares and the receiver; otherwise, the user is all three.
 */
function vaultExitCall({ order, way, shares, minAssets }: Exit): ExitCall {
  const { exits, vault, user } = order;
  const account = way.via === "router" ? null : user;
  return exits.encode(vault, {
    ...{ mode: way.mode, token: way.token, shares, minAssets },
    ...{ owner: user, caller: account, receiver: account },
    ...{ variant: way.terms.variant, slippage: order.slippage },
  });
}

/** Returns true if the Router or the vault's own call enforces the minimum payment. */
export const enforcesMinimum = (exit: Exit): boolean =>
  exit.way.via === "router" || vaultExitCall(exit).minAssets === "native";

/** Returns true if the Router must unwrap the vault's payment into the requested native currency. */
export const unwraps = ({ order, way }: Pick<Exit, "order" | "way">): boolean =>
  way.pays && isNative(order.to.token) && !isNative(way.token.address);

/**
 * Returns the Router step in which the executor redeems the shares that it holds. The Router writes their number and
 * the executor's address into the call. Throws a RangeError for a request, which only the owner can make.
 */
export function redeemStep(exit: Exit): RouterStep {
  const { shareToken } = exit.order.vault;
  const call = vaultExitCall(exit);
  if (call.async) throw new RangeError("a request must be made by its owner, not by the Router");
  const { target, spender, data, sharesOffset, sharesScale, selfOffsets } = call;
  const amount =
    sharesOffset === null
      ? []
      : [{ offset: BigInt(sharesOffset), token: shareToken, mul: sharesScale, div: 1n }];
  const self = selfOffsets.map((offset) => ({ offset: BigInt(offset), token: routerSelf, mul: 0n, div: 0n }));
  return {
    ...callOnlyStep({ target, value: 0n, data }),
    approveToken: spender === null ? zeroAddress : shareToken,
    spender: spender ?? zeroAddress,
    patches: [...amount, ...self],
  };
}

/** Returns the Router step that unwraps the executor's whole balance of the wrapped native token. */
function unwrapStep(exit: Exit): RouterStep {
  const { address } = exit.way.token;
  const data = encodeFunctionData({ abi: wrappedNativeAbi(), functionName: "withdraw", args: [0n] });
  const patches = [{ offset: UNWRAP_OFFSET, token: address, mul: 1n, div: 1n }];
  return { ...callOnlyStep({ target: address, value: 0n, data }), patches };
}

/** Returns the fields that all Router orders paid with shares have in common. They take exactly `shares`. */
export function shareOrder(
  exit: Exit,
): Omit<RouterOrder, "tokenOut" | "minOut" | "minOutPerIn" | "nativeFee"> {
  const { order, shares, deadline } = exit;
  const { vault, user, ref, partnerHash: partnerId, partnerType } = order;
  return {
    tokenIn: vault.shareToken,
    ...{ amountIn: shares, minIn: shares },
    receiver: user,
    deadline,
    direct: false,
    refundTo: user,
    ...{ ref, partnerId, partnerType },
  };
}

/**
 * Returns the number of shares in an order, and the minimum output of each, times 10^27 and in smallest units, rounded
 * down and capped at the largest uint256. An order of all shares takes the lower of what the owner holds and has allowed
 * when it is executed, if that minimum is exact enough: shares that arrive after the build are redeemed too if an
 * earlier, higher allowance covers them. Otherwise they stay with the owner, as they do after a call of the vault itself.
 */
function takenShares({ order, shares }: Exit, minOut: bigint): Pick<RouterOrder, "amountIn" | "minOutPerIn"> {
  const floor = (minOut * PER_UNIT_SCALE) / shares;
  if (order.shares !== "all" || floor < MIN_OUT_PER_IN) return { amountIn: shares, minOutPerIn: 0n };
  return { amountIn: MAX_UINT256, minOutPerIn: floor < MAX_UINT256 ? floor : MAX_UINT256 };
}

/**
 * Returns the Router order that redeems shares and sends the payment to the user, unwrapped if the user requests the
 * native currency. Errors of `redeemStep` propagate.
 */
function toExitOrder(exit: Exit): RouterCall {
  const { way, minAssets } = exit;
  const native = unwraps(exit);
  return {
    order: {
      ...shareOrder(exit),
      nativeFee: 0n,
      tokenOut: native ? zeroAddress : way.token.address,
      minOut: minAssets,
      ...takenShares(exit, minAssets),
    },
    steps: [redeemStep(exit), ...(native ? [unwrapStep(exit)] : [])],
    sweep: native ? [way.token.address] : [],
  };
}

/**
 * Encodes a redemption or redemption request as the call that the user's wallet sends: to the Router, or to the vault
 * family's contract. Throws `would_revert` for an amount that the function's parameters cannot express, and a RangeError
 * for a request through the Router.
 */
export function encodeExit(exit: Exit): UserCall {
  try {
    if (exit.way.via === "router")
      return { target: depositRouterAddress, value: 0n, data: encodeRouterCall(toExitOrder(exit)) };
    const { target, data } = vaultExitCall(exit);
    return { target, value: 0n, data };
  } catch (error) {
    if (!(error instanceof IntegerOutOfRangeError)) throw error;
    throw tooManyShares();
  }
}
