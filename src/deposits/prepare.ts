import { zeroAddress } from "viem";
import type { Context } from "../context.ts";
import { AppError } from "../errors.ts";
import { sameAddress } from "../lib/address.ts";
import type { BuildInput } from "../schemas/quote.ts";
import type { Token, Vault } from "../vaults/vault.ts";
import { withStoredVault } from "../vaults/with-stored-vault.ts";
import type { MovedDeposit } from "./moved.ts";
import { type Order, resolveOrder, sourceChain } from "./order.ts";
import { type DirectDeposit, prepareDirect } from "./prepare-direct.ts";
import { prepareMoved } from "./prepare-moved.ts";
import { isOfToken } from "./targets.ts";
import { acceptedTokens } from "./vault-wire.ts";

/** A wish and the transactions that were seen to fulfil it. */
export type PreparedDeposit =
  | { kind: "direct"; order: Order; direct: DirectDeposit }
  | { kind: "moved"; order: Order; moved: MovedDeposit };

/**
 * Resolve → check → route → encode → verify → simulate, on the vault as Postgres has it. Has no effects. A token that
 * the vault takes, but refuses now, is swapped into the vault's own asset.
 * Throws `chain_unsupported`, `vault_not_found`, the refusals of `resolveOrder`, `prepareDirect` and `prepareMoved`.
 */
export async function prepareDeposit(ctx: Context, input: BuildInput): Promise<PreparedDeposit> {
  sourceChain(ctx, input.from_chain_id);
  const work = async (vault: Vault) => prepareOrder(ctx, await resolveOrder(ctx, { input, vault }));
  return withStoredVault(ctx, { key: input.vault_id, work });
}

async function prepareOrder(ctx: Context, order: Order): Promise<PreparedDeposit> {
  const token = directToken(order);
  if (token === null) return { kind: "moved", order, moved: await prepareMoved(ctx, { order }) };
  const intent = { ...order, token, amount: order.from.amount };
  try {
    return { kind: "direct", order, direct: await prepareDirect(ctx, intent) };
  } catch (error) {
    if (!mayGiveWay(error, { order, token })) throw error;
    // What the vault says of the user's own token is what they should hear when no other token does.
    const none = () => {
      throw error;
    };
    return { kind: "moved", order, moved: await prepareMoved(ctx, { order, without: token }).catch(none) };
  }
}

/** Whether another of the vault's tokens may do: not its own asset's place, which native stands for too. */
function mayGiveWay(error: unknown, { order, token }: { order: Order; token: Token }): boolean {
  const own = [order.vault.asset.address, zeroAddress];
  if (own.some((address) => sameAddress(address, token.address))) return false;
  return error instanceof AppError && isOfToken(error);
}

/** The token the vault takes as it is; null when it has to be swapped or bridged. */
function directToken({ from, client, vault, entry }: Order): Token | null {
  if (from.chainId !== vault.chainId) return null;
  const accepted = acceptedTokens(vault, { chain: client.definition, entry });
  return accepted.find((candidate) => sameAddress(candidate.address, from.token)) ?? null;
}
