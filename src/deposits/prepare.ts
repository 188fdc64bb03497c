import type { Context } from "../context.ts";
import { sameAddress } from "../lib/address.ts";
import type { BuildInput } from "../schemas/quote.ts";
import type { Token, Vault } from "../vaults/vault.ts";
import { withStoredVault } from "../vaults/with-stored-vault.ts";
import type { MovedDeposit } from "./moved.ts";
import { type Order, resolveOrder, sourceChain } from "./order.ts";
import { type DirectDeposit, prepareDirect } from "./prepare-direct.ts";
import { prepareMoved } from "./prepare-moved.ts";
import { acceptedTokens } from "./vault-wire.ts";

/** A wish and the transactions that were seen to fulfil it. */
export type PreparedDeposit =
  | { kind: "direct"; order: Order; direct: DirectDeposit }
  | { kind: "moved"; order: Order; moved: MovedDeposit };

/**
 * Resolve → check → route → encode → verify → simulate, on the vault as Postgres has it. Has no effects.
 * Throws `chain_unsupported`, `vault_not_found`, the refusals of `resolveOrder`, `prepareDirect` and `prepareMoved`.
 */
export async function prepareDeposit(ctx: Context, input: BuildInput): Promise<PreparedDeposit> {
  sourceChain(ctx, input.from_chain_id);
  const work = async (vault: Vault) => prepareOrder(ctx, await resolveOrder(ctx, { input, vault }));
  return withStoredVault(ctx, { key: input.vault_id, work });
}

async function prepareOrder(ctx: Context, order: Order): Promise<PreparedDeposit> {
  const token = directToken(order);
  if (token === null) return { kind: "moved", order, moved: await prepareMoved(ctx, order) };
  const intent = { ...order, token, amount: order.from.amount };
  return { kind: "direct", order, direct: await prepareDirect(ctx, intent) };
}

/** The token the vault takes as it is; null when it has to be swapped or bridged. */
function directToken({ from, client, vault, entry }: Order): Token | null {
  if (from.chainId !== vault.chainId) return null;
  const accepted = acceptedTokens(vault, { chain: client.definition, entry });
  return accepted.find((candidate) => sameAddress(candidate.address, from.token)) ?? null;
}
