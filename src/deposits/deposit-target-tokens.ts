import type { Address } from "viem";
import type { ChainDefinition } from "../chains/chain-definitions.ts";
import type { Context } from "../context.ts";
import { isNative, sameAddress } from "../lib/address.ts";
import type { Token } from "../vaults/vault.ts";
import { acceptedTokens } from "../vaults/vault-deposit-entry.ts";
import { readTokenMetadata } from "../vaults/vault-token-metadata.ts";
import type { DepositOrder } from "./deposit-intent.ts";

/**
 * Lists the accepted tokens that a route may deliver, best first: those with the symbol of the user's token, those that
 * bridges treat as the same asset, the vault's asset, and its native form. If there is a choice, it reads the user's
 * ERC-20 token: errors of `readTokenMetadata` propagate.
 */
export async function findTargetTokens(ctx: Context, order: DepositOrder): Promise<Token[]> {
  const accepted = acceptedTokens(order.vault, { chain: order.client.definition, entry: order.entry });
  const tokens = accepted.filter(({ address }) => !isNative(address));
  const primary = order.vault.asset;
  // The symbol of the user's token is read only when there is a choice.
  if (tokens.length < 2) return orderTargetTokens({ accepted, primary, symbol: "", same: () => false });
  // Imported on demand, because the providers' token tables are large.
  const { sameBridgedAssetAs } = await import("../providers/provider-bridged-assets.ts");
  const same = sameBridgedAssetAs(order.from, order.vault.chainId);
  return orderTargetTokens({ accepted, primary, symbol: await symbolOf(ctx, order), same });
}

/**
 * Selects and orders a vault's accepted tokens for `findTargetTokens`, without duplicates. `primary`: the vault's
 * asset; `symbol`: the user's token's, empty if unknown; `same`: true for a token that bridges treat as the same asset.
 */
export function orderTargetTokens(choice: {
  accepted: readonly Token[];
  primary: Token;
  symbol: string;
  same: (address: Address) => boolean;
}): Token[] {
  const { accepted, primary, symbol, same } = choice;
  const native = accepted.filter(({ address }) => isNative(address));
  const named = accepted.filter((token) => symbol !== "" && sameSymbol(token.symbol, symbol));
  const alike = [...named, ...accepted.filter(({ address }) => same(address))];
  const ordered = [...alike.filter((token) => !native.includes(token)), primary, ...native];
  return ordered.filter(
    ({ address }, index) => ordered.findIndex((other) => sameAddress(other.address, address)) === index,
  );
}

const sameSymbol = (a: string, b: string): boolean => a.toUpperCase() === b.toUpperCase();

/**
 * Returns the symbol of the user's token. For the native currency this is the symbol of its wrapped form, which bridges
 * carry.
 */
async function symbolOf(ctx: Context, { from }: DepositOrder): Promise<string> {
  if (!isNative(from.token)) {
    return (await readTokenMetadata(ctx, { chainId: from.chainId, address: from.token })).symbol;
  }
  return wrappedSymbol(from.client.definition);
}

const wrappedSymbol = ({ native }: ChainDefinition): string => `W${native.symbol}`;
