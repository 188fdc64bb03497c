import { type Address, type Hex, isAddressEqual } from "viem";
import { isNative } from "../lib/address.ts";
import type { UserCall } from "../orders/order-wallet-calls.ts";
import type { RouterOrder, RouterStep } from "../router/router-codec.ts";
import type { Vault } from "../vaults/vault.ts";
import {
  decodeOrder,
  type ExpectedWithdrawal,
  paidTokens,
  requireSame,
  verifyRedeemStep,
  verifyShareOrder,
  verifySweep,
} from "../withdrawals/verify-withdrawal.ts";
import { type ExpectedRoute, verifyTransferStep } from "../withdrawals/verify-withdrawal-transfer.ts";

/**
 * Expected contents of a move: of the withdrawal, where `least` is the minimum of new shares, and of the deposit into
 * the vault `into`.
 */
export interface ExpectedMove extends ExpectedWithdrawal {
  into: Vault;
  /** Token that is deposited into the new vault. */
  deposited: Address;
  /** The provider's verified transfer for the swap between the vaults, or null if there is no swap. */
  quote: ExpectedRoute["quote"] | null;
  /** Minimum amount that is deposited, in the deposited token's smallest unit. */
  leastIn: bigint;
  /** Expected payment of the old vault, in the smallest unit of the paid token. */
  paid: bigint;
}

/**
 * Decodes a built move and throws `upstream_rejected`, with the name of the first field that differs, unless the
 * redemption, the swap, the deposit's contract and token, the user as receiver and at least the minimum of new shares
 * are as requested. The function that deposits is not compared; the simulation and that minimum show whether it works.
 */
export function verifyMove(asked: ExpectedMove, call: UserCall): void {
  const { order: built, steps, sweep } = decodeOrder(call);
  const { into, deposited, quote, least } = asked;
  requireSame(call.value === 0n && built.nativeFee === 0n, "value");
  verifyShareOrder(asked, built);
  requireSame(isAddressEqual(built.tokenOut, into.shareToken), "tokenOut");
  requireSame(least > 0n && built.minOut >= least, "minOut");
  const [redeem, ...others] = steps;
  const deposit = others.at(-1);
  requireSame(others.length === (quote === null ? 1 : 2) && deposit !== undefined, "steps");
  const [swap] = others;
  const token = paidTokens(asked).find((one) =>
    isAddressEqual(one, quote === null ? deposited : (swap?.needToken ?? deposited)),
  );
  requireSame(token !== undefined, "step needToken");
  verifyRedeemStep(asked, { step: redeem, token });
  if (quote !== null && swap !== undefined)
    verifyTransferStep({ ...asked, quote }, { step: swap, token, requested: deposited });
  verifyDepositStep(asked, { step: deposit, built });
  // What the vault or the swap leaves of its input belongs to the user.
  verifySweep(sweep, [token, ...(quote?.asStep?.leftovers ?? [])]);
}

/**
 * Verifies the step that deposits the token into the new vault: its target, approval and minimum, and that one word of
 * its calldata is written, from the executor's balance of the token (function, offset and scale are not compared). The
 * calldata may contain no address other than those of the user, the vault's entry point and share, and the token.
 */
function verifyDepositStep(asked: ExpectedMove, of: { step: RouterStep; built: RouterOrder }): void {
  const { step, built } = of;
  const { into, deposited, order } = asked;
  requireSame(isAddressEqual(step.target, into.entryPoint), "step target");
  requireSame(isAddressEqual(step.spender, into.spender), "step spender");
  requireSame(isAddressEqual(step.approveToken, deposited), "step approveToken");
  requireSame(step.value === 0n, "step value");
  requireSame(demandsLeast(asked, step), "step needAmount");
  const [patch, ...more] = step.patches;
  const spends = patch !== undefined && more.length === 0 && isAddressEqual(patch.token, deposited);
  requireSame(spends, "step patches");
  const named = addressesIn(step.data);
  // Shares that the vault mints to a receiver must be the user's; others go to the executor, which pays them out.
  const own = order.user.slice(2).toLowerCase().padStart(64, "0");
  requireSame(!built.direct || wordsOf(step.data).includes(own), "step receiver");
  const known = [order.user, into.entryPoint, into.shareToken, deposited].map((one) => one.toLowerCase());
  requireSame(
    named.every((one) => known.includes(one)),
    "step receiver",
  );
}

/**
 * Returns true if the deposit's step demands its minimum amount. After a swap, whose contract enforces that minimum,
 * the step must demand nothing.
 */
function demandsLeast({ quote, deposited, leastIn }: ExpectedMove, step: RouterStep): boolean {
  if (quote !== null) return isNative(step.needToken) && step.needAmount === 0n;
  return isAddressEqual(step.needToken, deposited) && leastIn > 0n && step.needAmount >= leastIn;
}

/** Pattern of a calldata word that looks like an address. Words with more leading zeros are amounts. */
const ADDRESS_WORD = /^0{24}(?!0{6})[0-9a-f]{40}$/;

/** Returns the words of calldata that look like addresses, as lowercase addresses. */
function addressesIn(data: Hex): string[] {
  return wordsOf(data)
    .filter((word) => ADDRESS_WORD.test(word))
    .map((word) => `0x${word.slice(24)}`);
}

const wordsOf = (data: Hex): string[] => [...(data.slice(10).toLowerCase().match(/.{64}/g) ?? [])];
