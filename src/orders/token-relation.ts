import { type Address, zeroAddress } from "viem";
import type { ChainDefinition } from "../chains/chain-definitions.ts";
import { isNative, sameAddress } from "../lib/address.ts";
import { type ChainToken, type Prices, priceOf, type TokenPrice } from "../prices/price.ts";
import type { BridgedAsset } from "../providers/bridged-assets.ts";
import type { TokenRelation } from "./fairness-rules.ts";

/** The tokens of a chain with the assets that they represent, from one provider's tables in code. */
export interface AssetTable {
  assets(chainId: number): readonly BridgedAsset[];
}

/** A token with the definition of its chain. */
export interface TokenOnChain {
  chain: Pick<ChainDefinition, "chainId" | "wrappedNative">;
  /** Address of the token; the zero address for the chain's native currency. */
  token: Address;
}

/** Returns the addresses of a token's forms of equal value: the native currency and its wrapped token. */
function formsOf({ chain, token }: TokenOnChain): Address[] {
  const { wrappedNative } = chain;
  if (wrappedNative === null) return [token];
  if (isNative(token)) return [token, wrappedNative];
  return sameAddress(token, wrappedNative) ? [token, zeroAddress] : [token];
}

const listsOf = (tables: readonly AssetTable[], { chain }: TokenOnChain) =>
  tables.map((table) => table.assets(chain.chainId));

/**
 * Returns whether two tokens are the same asset by the tables in code, or exchanging them is a swap, independent of any
 * quote. The native currency and its wrapped token are the same asset.
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

/** Returns the first token of another chain that the tables list as the same asset, or null. */
export function twinOf(
  tables: readonly AssetTable[],
  { token, chain }: { token: TokenOnChain; chain: TokenOnChain["chain"] },
): Address | null {
  for (const table of tables) {
    const names = namesIn(table.assets(token.chain.chainId), token);
    const twin = table.assets(chain.chainId).find(({ asset }) => names.includes(asset));
    if (twin !== undefined) return twin.address;
  }
  return null;
}

/**
 * Returns the first usable price of a token or of its other form, or null. `twin` is the same asset on another chain;
 * its price is used if the token's own is unknown.
 */
export function judgingPrice(
  prices: Prices,
  { token, twin }: { token: TokenOnChain; twin: ChainToken | null },
): TokenPrice | null {
  const own = formsOf(token).map((form) => ({ chainId: token.chain.chainId, token: form }));
  const known = [...own, ...(twin === null ? [] : [twin])].map((each) => priceOf(prices, each));
  return known.find((price) => price?.judges === true) ?? null;
}

/** Returns the tokens whose prices `judgingPrice` may use, except the twin. */
export function pricedForms(token: TokenOnChain): ChainToken[] {
  return formsOf(token).map((form) => ({ chainId: token.chain.chainId, token: form }));
}
