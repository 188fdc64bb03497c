import { type Address, zeroAddress } from "viem";
import type { ChainDefinition } from "../chains/chain-definitions.ts";
import { isNative, sameAddress } from "../lib/address.ts";
import { type ChainToken, type Prices, priceOf, type TokenPrice } from "../prices/price.ts";
import type { BridgedAsset } from "../providers/provider-bridged-assets.ts";
import type { TokenRelation } from "./order-fairness-rules.ts";

/**
 * A provider's asset table: for each chain, its bridgeable tokens and the asset that each of them represents. Quotes do
 * not affect it. Empty for an exchange.
 */
export interface AssetTable {
  assets(chainId: number): readonly BridgedAsset[];
}

/** A token with the definition of its chain. */
export interface TokenOnChain {
  chain: Pick<ChainDefinition, "chainId" | "wrappedNative">;
  /** Address of the token; the zero address for the chain's native currency. */
  token: Address;
}

/**
 * Returns a token's address and, if it is the native currency or its wrapped token, the address of the other of the
 * two.
 */
function formsOf({ chain, token }: TokenOnChain): Address[] {
  const { wrappedNative } = chain;
  if (wrappedNative === null) return [token];
  if (isNative(token)) return [token, wrappedNative];
  return sameAddress(token, wrappedNative) ? [token, zeroAddress] : [token];
}

const listsOf = (tables: readonly AssetTable[], { chain }: TokenOnChain) =>
  tables.map((table) => table.assets(chain.chainId));

/**
 * Returns `same_asset` if two tokens are the same token, a chain's native currency and its wrapped token, or one asset
 * by a provider's asset table; otherwise `swap`. No quote affects the result.
 */
export function relationOf(
  tables: readonly AssetTable[],
  { from, to }: { from: TokenOnChain; to: TokenOnChain },
): TokenRelation {
  if (from.chain.chainId === to.chain.chainId) {
    const same = formsOf(from).some((form) => formsOf(to).some((other) => sameAddress(form, other)));
    if (same) return "same_asset";
  }
  const [paid, asked] = [listsOf(tables, from), listsOf(tables, to)];
  const same = tables.some((_, index) => {
    const names = namesIn(asked[index] ?? [], to);
    return namesIn(paid[index] ?? [], from).some((name) => names.includes(name));
  });
  return same ? "same_asset" : "swap";
}

function namesIn(assets: readonly BridgedAsset[], token: TokenOnChain): string[] {
  const forms = formsOf(token);
  return assets
    .filter(({ address }) => forms.some((form) => sameAddress(form, address)))
    .map(({ asset }) => asset);
}

/**
 * Returns a token's counterpart on the chain `chain`: the first token that a table lists there as the same asset as
 * `token` (or as its native or wrapped form). Null if there is none.
 */
export function counterpartOf(
  tables: readonly AssetTable[],
  { token, chain }: { token: TokenOnChain; chain: TokenOnChain["chain"] },
): Address | null {
  for (const table of tables) {
    const names = namesIn(table.assets(token.chain.chainId), token);
    const counterpart = table.assets(chain.chainId).find(({ asset }) => names.includes(asset));
    if (counterpart !== undefined) return counterpart.address;
  }
  return null;
}

/**
 * Returns the first price of a token, of its native or wrapped form, or else of `counterpart` (the same asset on
 * another chain) that may be used to judge an offer (`judges`). Null if there is none. Pure.
 */
export function valuationPrice(
  prices: Prices,
  { token, counterpart }: { token: TokenOnChain; counterpart: ChainToken | null },
): TokenPrice | null {
  const own = formsOf(token).map((form) => ({ chainId: token.chain.chainId, token: form }));
  const known = [...own, ...(counterpart === null ? [] : [counterpart])].map((each) => priceOf(prices, each));
  return known.find((price) => price?.judges === true) ?? null;
}

/**
 * Returns the tokens whose prices `valuationPrice` may use, except the counterpart: the token itself and, for a native
 * currency or its wrapped token, the other of the two.
 */
export function pricedForms(token: TokenOnChain): ChainToken[] {
  return formsOf(token).map((form) => ({ chainId: token.chain.chainId, token: form }));
}
