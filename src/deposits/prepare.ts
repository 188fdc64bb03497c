import type { Context } from "../context.ts";
import { failure } from "../errors.ts";
import { sameAddress } from "../lib/address.ts";
import type { BuildInput } from "../schemas/quote.ts";
import type { Token, Vault } from "../vaults/vault.ts";
import { withStoredVault } from "../vaults/with-stored-vault.ts";
import { type Order, resolveOrder, sourceChain } from "./order.ts";
import { type DirectDeposit, prepareDirect } from "./prepare-direct.ts";
import { acceptedTokens } from "./vault-wire.ts";

/** A wish and the transaction that was seen to fulfil it. */
export interface PreparedDeposit {
  order: Order;
  direct: DirectDeposit;
}

/**
 * Resolve → check → encode → verify → simulate, on the vault as Postgres has it. Has no effects.
 * Throws `chain_unsupported`, `vault_not_found`, the refusals of `resolveOrder` and of `prepareDirect`.
 */
export async function prepareDeposit(ctx: Context, input: BuildInput): Promise<PreparedDeposit> {
  sourceChain(ctx, input.from_chain_id);
  const work = async (vault: Vault) => prepareOrder(ctx, await resolveOrder(ctx, { input, vault }));
  return withStoredVault(ctx, { key: input.vault_id, work });
}

async function prepareOrder(ctx: Context, order: Order): Promise<PreparedDeposit> {
  const token = directToken(order);
  const intent = { ...order, token, amount: order.from.amount };
  return { order, direct: await prepareDirect(ctx, intent) };
}

/** The token the vault takes as it is. Throws `no_route` when it would have to be swapped or bridged. */
function directToken({ from, client, vault, entry }: Order): Token {
  const refuse = (code: string, detail: string) =>
    failure("no_route", detail, { reasons: [{ code, detail }] });
  if (from.chainId !== vault.chainId) {
    throw refuse("bridge_unavailable", `no bridge is set up from chain ${from.chainId} to ${vault.chainId}`);
  }
  const accepted = acceptedTokens(vault, { chain: client.definition, entry });
  const token = accepted.find((candidate) => sameAddress(candidate.address, from.token));
  if (token === undefined)
    throw refuse("swap_unavailable", "the vault does not take this token, and no swap is set up");
  return token;
}
