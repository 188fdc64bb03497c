import type { Address } from "viem";
import type { Context } from "../context.ts";
import { failure } from "../errors.ts";
import { sameAddress } from "../lib/address.ts";
import { orderRef, partnerHashOf } from "../orders/order-attribution.ts";
import { assertFair, planLoss } from "../orders/order-route-fairness.ts";
import { toSendable } from "../orders/order-router-transfer.ts";
import { simulateProviderTransaction, watchedBalance } from "../orders/simulate-order-payment.ts";
import type { Vault } from "../vaults/vault.ts";
import { acceptedTokens, depositEntry } from "../vaults/vault-deposit-entry.ts";
import { assertVaultOpen } from "./deposit-intent.ts";
import { type DirectDeposit, prepareDirect } from "./direct-deposit.ts";
import {
  type BuiltRoute,
  type DepositAttempt,
  toPayment,
  toRouterTransfer,
  toTransferBuildRequest,
} from "./prepared-deposit.ts";

/** The second step of a deposit: the user's deposit of the token that a transfer delivers on the vault's chain. */
export interface SecondStep {
  vault: Vault;
  user: Address;
  /** The delivered token. The zero address stands for the native currency. */
  token: Address;
  /** Amount to deposit, in the token's smallest unit. */
  amount: bigint;
  /** Slippage tolerance of the whole deposit, as a fraction. */
  slippage: number;
  /** Tracking id of the deposit that this step completes. The deposit reference is derived from it. */
  trackingId: string;
  partnerId: string;
  /** Role of the partner: 0 direct, 1 creator, 2 wallet. */
  partnerType: number;
}

/**
 * Checks, encodes, verifies and simulates the second step of a deposit, also before the token has arrived.
 * Throws `vault_paused`, `token_unsupported`, `vault_not_found`; errors of `depositEntry` and `prepareDirect`
 * propagate.
 */
export async function prepareSecondStep(ctx: Context, step: SecondStep): Promise<DirectDeposit> {
  const { vault, user, amount, slippage, trackingId, partnerId, partnerType } = step;
  assertVaultOpen(vault);
  const client = ctx.chains.client(vault.chainId);
  if (client === null) throw failure("vault_not_found", `there is no vault ${vault.vaultId}`);
  const entry = await depositEntry(ctx, vault);
  const accepted = acceptedTokens(vault, { chain: client.definition, entry });
  const token = accepted.find(({ address }) => sameAddress(address, step.token));
  if (token === undefined) throw failure("token_unsupported", `${vault.name} does not accept this token`);
  const partnerHash = partnerHashOf(partnerId);
  const ref = orderRef(trackingId);
  return prepareDirect(ctx, {
    client,
    vault,
    entry,
    user,
    token,
    amount,
    slippage: secondStepSlippage(slippage),
    ref,
    partnerHash,
    partnerType,
  });
}

/**
 * Slippage below which the second step uses only half of it. From here on, half is at least the limit of 0.5% that
 * applies anyway.
 */
const HALVED_BELOW = 0.01;

/**
 * Returns the slippage of a second step, as a fraction: half of the order's below 1%, because the transfer may have
 * used the other half. From 1% on, the order's, which the deposit itself limits to 0.5%.
 */
const secondStepSlippage = (slippage: number): number => (slippage < HALVED_BELOW ? slippage / 2 : slippage);

/**
 * Builds and simulates a provider's transaction that delivers a token to the user (`toSendable`), and the user's deposit
 * of the guaranteed amount. Throws `price_unsafe` if the offer is unfair; errors of the provider, of
 * `toSendable`, of the simulation and of `prepareSecondStep` propagate.
 */
export async function buildTwoStep(ctx: Context, attempt: DepositAttempt): Promise<BuiltRoute> {
  const { order, token } = attempt;
  const loss = planLoss(await attempt.offer());
  const scope = { ...ctx.providers.scope, deadline: attempt.deadline };
  const own = await attempt.provider.build(scope, toTransferBuildRequest(attempt, loss.transfer));
  const route = await toSendable(ctx, { route: own, transfer: toRouterTransfer(attempt) });
  const offer = await attempt.offer(route.nativeFee);
  assertFair(offer, { built: route, simulated: null, minIn: null });
  const payment = toPayment(attempt, route);
  const onOneChain = order.from.chainId === order.vault.chainId;
  const watch = onOneChain ? watchedBalance(token.address, order.user) : null;
  const [{ source, gained }, deposit] = await Promise.all([
    simulateProviderTransaction(ctx, { payment, route, watch }),
    prepareSecondStep(ctx, { ...order, token: token.address, amount: route.toAmountMin }),
  ]);
  const output = gained === null ? null : { seen: gained, floor: route.toAmountMin };
  assertFair(offer, { built: route, simulated: { delivered: gained, output }, minIn: null });
  return { route, payment, source, end: { kind: "two_step", deposit } };
}
