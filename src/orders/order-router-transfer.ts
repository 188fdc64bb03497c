import type { Address, Hex } from "viem";
import type { Context } from "../context.ts";
import { type AppError, failure } from "../errors.ts";
import { isNative, sameAddress } from "../lib/address.ts";
import type { VerifiedTransfer } from "../providers/provider.ts";
import { depositRouterAddress } from "../router/router-address.ts";
import {
  decodeRouterError,
  encodeRouterCall,
  foreignReason,
  type RouterOrder,
  routerBridgeOutput,
} from "../router/router-codec.ts";
import { isRouterDeployed } from "../vaults/vault-deposit-entry.ts";
import { explainCommonRevert } from "../vaults/vault-reverts.ts";
import { orderDeadline } from "./order-floors.ts";
import { type ProviderStepPlan, providerStep } from "./order-provider-step.ts";

/** A transfer by a provider whose transaction is the only step of a Router order. */
export interface RouterTransfer {
  user: Address;
  /** What the user pays on the source chain: token (zero address: native) and amount in its smallest unit. */
  from: { chainId: number; token: Address; amount: bigint };
  /** Token that a swap delivers to the user, or null for a bridge. */
  swapsTo: Address | null;
  /** Time of the source chain's head, in UNIX seconds. */
  blockTime: number;
  /** Reference and attribution that the Router logs. */
  named: Pick<RouterOrder, "ref" | "partnerId" | "partnerType">;
}

/**
 * Encodes the Router order whose only step sends a provider's transaction with the whole amount: into a bridge, or into
 * a swap that pays the Router's executor, and whose guaranteed output the order enforces.
 */
export function encodeRouterTransfer(
  { user, from, swapsTo, blockTime, named }: RouterTransfer,
  { route, asStep }: Omit<ProviderStepPlan, "amount"> & { route: Pick<VerifiedTransfer, "toAmountMin"> },
): Hex {
  const { token, amount } = from;
  return encodeRouterCall({
    order: {
      ...{ tokenIn: token, amountIn: amount, minIn: amount, nativeFee: 0n },
      tokenOut: swapsTo ?? routerBridgeOutput,
      receiver: user,
      minOut: swapsTo === null ? 0n : route.toAmountMin,
      minOutPerIn: 0n,
      deadline: orderDeadline(blockTime),
      // During the swap, a hostile route could trigger payments that others owe to the user, and keep the input.
      direct: false,
      refundTo: user,
      ...named,
    },
    steps: [providerStep(token, { route, asStep, amount })],
    sweep: asStep.leftovers,
  });
}

/** Returns true if a transfer's transaction is a call of the Router, as `toSendable` makes it. */
export const isRouterTransfer = ({ transaction }: Pick<VerifiedTransfer, "transaction">): boolean =>
  sameAddress(transaction.to, depositRouterAddress);

/**
 * Returns a transfer with a transaction that is safe for the user to send: the provider's own, or, if that would count
 * what others owe to the user as its output, a Router order that contains it. Throws `no_route` if it needs the Router
 * and the Router cannot make it; errors of the RPC nodes propagate.
 */
export async function toSendable(
  ctx: Context,
  { route, transfer }: { route: VerifiedTransfer; transfer: RouterTransfer },
): Promise<VerifiedTransfer> {
  const { asStep } = route;
  if (asStep?.required !== true) return route;
  const { chainId, token, amount } = transfer.from;
  if (!(await isRouterDeployed(ctx, chainId))) throw unsendable();
  const data = encodeRouterTransfer(transfer, { route, asStep });
  const native = isNative(token);
  return {
    ...route,
    transaction: { to: depositRouterAddress, data, value: native ? amount : 0n },
    spender: native ? null : depositRouterAddress,
  };
}

const UNSENDABLE = "the Router cannot make this swap, and without it nothing would guarantee the output";
const unsendable = (): AppError =>
  failure("no_route", UNSENDABLE, { reasons: [{ code: "delivery_unsupported", detail: UNSENDABLE }] });

/** Returns the error for a transfer whose transaction reverts in its simulation with `revert`. */
export function explainTransferRevert(route: Pick<VerifiedTransfer, "transaction">, revert: Hex): AppError {
  const error = isRouterTransfer(route) ? (decodeRouterError(revert)?.name ?? null) : null;
  if (error === "OutputBelowMinimum")
    return failure("price_unsafe", "the swap would deliver less than its provider promises", {
      subject: "route",
    });
  // Some swaps pay only the account for which they were built, whatever receiver the order names.
  if (error === "StepFailed") return unsendable();
  const { text } = explainCommonRevert(foreignReason(revert) ?? revert);
  return failure("would_revert", "the transfer would revert on its source chain", { revert: text });
}
