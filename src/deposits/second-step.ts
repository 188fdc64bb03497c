import type { Address } from "viem";
import type { Context } from "../context.ts";
import { failure } from "../errors.ts";
import { sameAddress } from "../lib/address.ts";
import type { Vault } from "../vaults/vault.ts";
import { partnerHashOf } from "./attribution.ts";
import { depositEntry } from "./entry.ts";
import { assertOpen, refOf } from "./order.ts";
import { type DirectDeposit, prepareDirect } from "./prepare-direct.ts";
import { acceptedTokens } from "./vault-wire.ts";

/** The deposit that follows once a token has reached the user on the vault's chain. */
export interface SecondStep {
  /** As Postgres has it. */
  vault: Vault;
  user: Address;
  /** What arrived, one of the vault's accepted tokens; the zero address for native. */
  token: Address;
  /** Smallest unit of the token. */
  amount: bigint;
  slippage: number;
  /** Of the deposit that the step belongs to: the Router emits its reference again. */
  trackingId: string;
  partnerId: string;
  partnerType: number;
}

/**
 * Prepares the second step of a deposit that takes two. Whoever does not hold the money yet is given it in the
 * simulation. Throws `vault_paused`, `token_unsupported`, `vault_not_found`, and what `prepareDirect` throws.
 */
export async function prepareSecondStep(ctx: Context, step: SecondStep): Promise<DirectDeposit> {
  const { vault, user, amount, slippage, trackingId, partnerId, partnerType } = step;
  assertOpen(vault);
  const client = ctx.chains.client(vault.chainId);
  if (client === null) throw failure("vault_not_found", `there is no vault ${vault.vaultId}`);
  const entry = await depositEntry(ctx, vault);
  const accepted = acceptedTokens(vault, { chain: client.definition, entry });
  const token = accepted.find(({ address }) => sameAddress(address, step.token));
  if (token === undefined) throw failure("token_unsupported", `${vault.name} does not take this token`);
  const partnerHash = partnerHashOf(partnerId);
  const ref = refOf(trackingId);
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
