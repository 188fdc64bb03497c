import type { Address } from "viem";
import type { Context } from "../../context.ts";
import { failure } from "../../errors.ts";
import { sameAddress } from "../../lib/address.ts";
import { simulateProviderTransaction, watchedBalance } from "../../orders/simulate-payment.ts";
import type { Vault } from "../../vaults/vault.ts";
import { acceptedTokens, depositEntry } from "../../vaults/vault-entry.ts";
import { assertVaultOpen, depositRef, partnerHashOf } from "./deposit-order.ts";
import { type DirectDeposit, prepareDirect } from "./direct-deposit.ts";
import { type BuiltRoute, type RouteAttempt, toPayment, toTransferBuildRequest } from "./prepared-deposit.ts";

/** The deposit that the user makes after a token arrived on the vault's chain. */
export interface SecondStep {
  /** As read from Postgres. */
  vault: Vault;
  user: Address;
  /** The delivered token, one of the vault's accepted tokens; the zero address is native money. */
  token: Address;
  /** Smallest unit of the token. */
  amount: bigint;
  slippage: number;
  /** Tracking id of the deposit that this step completes: the Router emits its reference again. */
  trackingId: string;
  partnerId: string;
  partnerType: number;
}

/**
 * Prepares the second step of a two-step deposit. A user who does not have the token yet receives it in the
 * simulation. Throws `vault_paused`, `token_unsupported`, `vault_not_found`, and the errors of
 * `prepareDirect`.
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
  const ref = depositRef(trackingId);
  return prepareDirect(ctx, {
    client,
    vault,
    entry,
    user,
    token,
    amount,
    slippage,
    ref,
    partnerHash,
    partnerType,
  });
}

/**
 * Builds a provider's transaction that delivers a token to the user, and the deposit of the guaranteed amount
 * that follows. Both are simulated. Throws the refusals of the provider, of the vault and of both
 * simulations.
 */
export async function buildTwoStep(ctx: Context, attempt: RouteAttempt): Promise<BuiltRoute> {
  const { order, token } = attempt;
  const scope = { ...ctx.providers.scope, deadline: attempt.deadline };
  const route = await attempt.provider.build(scope, toTransferBuildRequest(attempt));
  const payment = toPayment(attempt, route);
  const onOneChain = order.from.chainId === order.vault.chainId;
  const watch = onOneChain ? watchedBalance(token.address, order.user) : null;
  const [{ source, gained }, deposit] = await Promise.all([
    simulateProviderTransaction(ctx, { payment, route, watch }),
    prepareSecondStep(ctx, { ...order, token: token.address, amount: route.toAmountMin }),
  ]);
  if (gained !== null && gained < route.toAmountMin) {
    throw failure("upstream_rejected", "the provider's transaction delivers less than it promises");
  }
  return { route, payment, source, end: { kind: "two_step", deposit } };
}
