import { type Address, type Hex, isAddressEqual } from "viem";
import { PARTS_PER_BILLION } from "../lib/amount.ts";
import type { UserCall } from "../orders/order-wallet-calls.ts";
import type { VerifiedTransfer } from "../providers/provider.ts";
import { type RouterStep, routerBridgeOutput, routerSelf } from "../router/router-codec.ts";
import {
  decodeOrder,
  type ExpectedWithdrawal,
  paidTokens,
  requireSame,
  verifyFloor,
  verifyRedeemStep,
  verifyShareOrder,
  verifySweep,
} from "./verify-withdrawal.ts";
import { verifyTransferData } from "./verify-withdrawal-transfer-data.ts";

/**
 * Maximum fraction of the vault's expected payment that may remain unswapped, in parts per billion (0.1%). The
 * remainder is paid to the user.
 */
const LARGEST_REST = PARTS_PER_BILLION / 1_000n;
/** Additional amount that may remain unswapped, in the token's smallest unit. */
const ROUNDING = 10n;

/** Expected contents of an order that redeems shares and swaps or bridges the payment. */
export interface ExpectedRoute extends ExpectedWithdrawal {
  /**
   * The provider's quote that was verified: its transaction, the contract to approve, the expected and minimum amount,
   * and the tokens that it may leave behind.
   */
  quote: Pick<VerifiedTransfer, "transaction" | "spender" | "toAmount" | "toAmountMin" | "asStep">;
  /** Expected payment of the vault, if unknown the input of the swap or bridge, in the paid token's smallest unit. */
  paid: bigint;
}

/**
 * Decodes an order that redeems shares and swaps or bridges the payment, and compares both parts with the request.
 * Throws `upstream_rejected` with the name of the first field that differs.
 */
export function verifyRoutedExit(asked: ExpectedRoute, call: UserCall): void {
  const { order: built, steps, sweep } = decodeOrder(call);
  const { order, quote } = asked;
  const { to, vault } = order;
  requireSame(asked.mode === "instant", "mode");
  requireSame(call.value === built.nativeFee && built.nativeFee === quote.transaction.value, "nativeFee");
  verifyShareOrder(asked, built);
  const bridged = to.chainId !== vault.chainId;
  requireSame(isAddressEqual(built.tokenOut, bridged ? routerBridgeOutput : to.token), "tokenOut");
  if (bridged) requireSame(!built.direct && built.minOut === 0n && built.minOutPerIn === 0n, "minOut");
  else verifyFloor(asked, built);
  const [redeem, onward, ...more] = steps;
  requireSame(onward !== undefined && more.length === 0, "steps");
  const token = paidTokens(asked).find((one) => isAddressEqual(one, onward.needToken));
  requireSame(token !== undefined, "step needToken");
  verifyRedeemStep(asked, { step: redeem, token });
  verifyTransferStep(asked, { step: onward, token, requested: to.token });
  verifySweep(sweep, quote.asStep?.leftovers ?? []);
}

/** Expected contents of the step that swaps or bridges the vault's payment. */
export type ExpectedTransfer = Pick<ExpectedRoute, "order" | "quote" | "paid">;

/**
 * Verifies the step in which a provider swaps or bridges the vault's payment, and its calldata. Does not compare
 * `step.needToken`: the caller must. Throws `upstream_rejected` with the first field that differs.
 */
export function verifyTransferStep(
  asked: ExpectedTransfer,
  { step, token, requested }: { step: RouterStep; token: Address; requested: Address },
): void {
  const { order, quote, paid } = asked;
  const { user, to, vault } = order;
  const { transaction, spender } = quote;
  const bridged = to.chainId !== vault.chainId;
  requireSame(isAddressEqual(step.target, transaction.to), "step target");
  requireSame(step.value === transaction.value, "step value");
  requireSame(isAddressEqual(step.approveToken, token), "step approveToken");
  requireSame(isAddressEqual(step.spender, spender ?? transaction.to), "step spender");
  const amount = step.needAmount;
  const rest = (paid * LARGEST_REST) / PARTS_PER_BILLION + ROUNDING;
  requireSame(amount > 0n && amount <= paid && amount >= paid - rest, "step needAmount");
  const chains = { from: order.client.definition, to: to.client.definition };
  const expected = { user, ...chains, token, amount, requested, least: quote.toAmountMin };
  verifyTransferData(expected, step.data);
  const words = step.patches.every(
    (patch) =>
      isAddressEqual(patch.token, routerSelf) && namesUser(step.data, { user, offset: patch.offset }),
  );
  requireSame(words && step.patches.length === (bridged ? 0 : 1), "step receiver");
}

/** Returns true if the word at an offset of the calldata is the user's address. */
function namesUser(data: Hex, { user, offset }: { user: Address; offset: bigint }): boolean {
  const at = 2 + Number(offset) * 2;
  return data.slice(at, at + 64).toLowerCase() === user.slice(2).toLowerCase().padStart(64, "0");
}
