import { isAddressEqual, zeroAddress } from "viem";
import type { ChainDefinition } from "../chains/definition.ts";
import type { Context } from "../context.ts";
import { sameAddress } from "../lib/address.ts";
import type { Token } from "../vaults/vault.ts";
import type { Order } from "./order.ts";
import { readTokenFacts } from "./token-facts.ts";
import { acceptedTokens } from "./vault-wire.ts";

/**
 * In which of the vault's tokens a transfer may arrive, best first: that of the same symbol, which is bridged
 * without a swap, then the vault's own asset, then native where the vault's asset is its wrapped form.
 * Throws `token_unsupported`, and what reading the chain throws.
 */
export async function findTargets(ctx: Context, order: Order): Promise<Token[]> {
  const accepted = acceptedTokens(order.vault, { chain: order.client.definition, entry: order.entry });
  const tokens = accepted.filter(({ address }) => !isAddressEqual(address, zeroAddress));
  // The symbol is asked for only where there is a choice.
  const symbol = tokens.length > 1 ? await symbolOf(ctx, order) : "";
  return orderTargets({ accepted, primary: order.vault.asset, symbol });
}

/** Puts accepted tokens in the order of `findTargets`; `symbol` of what the user pays with, empty when not known. */
export function orderTargets(choice: {
  accepted: readonly Token[];
  primary: Token;
  symbol: string;
}): Token[] {
  const { accepted, primary, symbol } = choice;
  const native = accepted.filter(({ address }) => isAddressEqual(address, zeroAddress));
  const alike = accepted.filter((token) => symbol !== "" && sameSymbol(token.symbol, symbol));
  const ordered = [...alike.filter((token) => !native.includes(token)), primary, ...native];
  return ordered.filter(
    ({ address }, index) => ordered.findIndex((other) => sameAddress(other.address, address)) === index,
  );
}

const sameSymbol = (a: string, b: string): boolean => a.toUpperCase() === b.toUpperCase();

/** Native counts as its wrapped form, which is how it travels. */
async function symbolOf(ctx: Context, { from }: Order): Promise<string> {
  if (!isAddressEqual(from.token, zeroAddress)) {
    return (await readTokenFacts(ctx, { chainId: from.chainId, address: from.token })).symbol;
  }
  return wrappedSymbol(from.client.definition);
}

const wrappedSymbol = ({ native }: ChainDefinition): string => `W${native.symbol}`;
