import { type Address, erc20Abi, getAddress, zeroAddress } from "viem";
import * as z from "zod";
import { chainNotServed } from "../chains/chain-definitions.ts";
import { createQuery, queryAll, read, valueOrNull } from "../chains/chain-reads.ts";
import type { Context } from "../context.ts";
import { failureFrom } from "../errors.ts";
import { isNative, sameAddress } from "../lib/address.ts";
import { DAY_MS, HOUR_MS } from "../lib/durations.ts";
import { describeError } from "../lib/logger.ts";
import { formatTime, formatUsdPrice } from "../prices/price.ts";
import type { ListedToken, Provider } from "../providers/provider.ts";
import type { TokenList, TokenSummary } from "../schemas/token-schema.ts";
import { listRegistry } from "../vaults/find-vault.ts";
import type { Token } from "../vaults/vault.ts";
import { readUncached } from "../vaults/vault-state.ts";
import { cutText } from "../vaults/vault-token-metadata.ts";
import { readTokenPrices } from "./listed-asset-prices.ts";

const Listed = z.array(
  z.object({
    chainId: z.int(),
    address: z
      .string()
      .regex(/^0x[0-9a-fA-F]{40}$/)
      .transform((text): Address => getAddress(text)),
    symbol: z.string(),
    name: z.string(),
    decimals: z.int(),
  }),
);

/**
 * Lists the tokens of a chain that a deposit can start from: the native currency, tokens that the chain's vaults
 * accept, and plausible ones of providers' token lists that could be read. Prices are null if unknown. Throws
 * `chain_unsupported`, `store_unavailable`, and `internal` if the providers' settings are invalid.
 */
export async function listTokens(ctx: Context, chainId: number): Promise<TokenSummary[]> {
  const own = await ownTokens(ctx, chainId);
  const providers = await ctx.providers.all();
  const lists = await Promise.all(providers.map((provider) => readList(ctx, { provider, chainId, own })));
  const shown = [...own.map((token) => ({ ...token, name: "" })), ...lists.flat()];
  const distinct = new Map<string, UnpricedToken>();
  for (const { address, symbol, name, decimals } of shown) {
    const before = distinct.get(address);
    // Registry tokens come first; a provider's list adds only a name to them.
    if (before !== undefined) before.name ||= name;
    else distinct.set(address, { chain_id: chainId, address, symbol, name, decimals });
  }
  const tokens = [...distinct.values()];
  const prices = await readTokenPrices(ctx, { chainId, tokens: tokens.map(({ address }) => address) });
  return tokens.map((token) => {
    const price = prices[token.address.toLowerCase()];
    if (price === undefined) return { ...token, price_usd: null, price_source: null, price_at: null };
    const { usd, source, at } = price;
    return { ...token, price_usd: formatUsdPrice(usd), price_source: source, price_at: formatTime(at) };
  });
}

/** Maximum length of a symbol in a token list. */
const LIST_SYMBOL_LENGTH = 20;
const LIST_NAME_LENGTH = 60;

/**
 * Converts a chain's tokens to a list in the format of Uniswap's Token Lists, without the native currency and tokens
 * whose symbol is longer than 20 characters. Equal tokens give equal bytes within a clock hour. `now` is in
 * milliseconds since the epoch. Source: @uniswap/token-lists.
 */
export function toTokenList(
  tokens: readonly TokenSummary[],
  of: { chainId: number; now: number },
): TokenList {
  const listed = tokens.filter(
    ({ address, symbol }) => !isNative(address) && symbol.length <= LIST_SYMBOL_LENGTH,
  );
  const hours = Math.floor(of.now / HOUR_MS);
  return {
    name: `Causeway ${of.chainId}`,
    timestamp: new Date(hours * HOUR_MS).toISOString(),
    version: { major: 1, minor: 0, patch: hours },
    tokens: listed.map(({ address, symbol, name, decimals }) => ({
      ...{ chainId: of.chainId, address, symbol, decimals },
      name: cutText((name === "" ? symbol : name).replaceAll(/\s/gu, " "), LIST_NAME_LENGTH),
    })),
  };
}

type UnpricedToken = Omit<TokenSummary, "address" | "price_usd" | "price_source" | "price_at"> & {
  address: Address;
};

/** Returns the chain's native token and the tokens that the chain's registered vaults accept. */
async function ownTokens(ctx: Context, chainId: number): Promise<Token[]> {
  const chain = ctx.chains.definitions.get(chainId);
  if (chain === undefined) throw chainNotServed(chainId, ctx.chains.definitions);
  const { all } = await listRegistry(ctx);
  const vaults = all.filter((vault) => vault.chainId === chainId);
  const tokens = vaults.flatMap(({ asset, acceptedAssets }) => [asset, ...acceptedAssets]);
  const native = { address: zeroAddress, ...chain.native };
  return [native, ...tokens].filter(
    (token, index, every) => every.findIndex(({ address }) => sameAddress(address, token.address)) === index,
  );
}

interface TokenListQuery {
  provider: Provider;
  chainId: number;
  own: readonly Token[];
}

/**
 * Reads the token list of one provider, cached for an hour, or for up to seven days if it cannot be reloaded. Returns
 * an empty list if the provider has none, or if it fails and nothing is cached.
 */
async function readList(ctx: Context, { provider, chainId, own }: TokenListQuery): Promise<ListedToken[]> {
  if (provider.tokens === undefined) return [];
  try {
    const { value } = await ctx.cache.cached({
      key: `tokens:${provider.name}:${chainId}`,
      schema: Listed,
      freshMs: HOUR_MS,
      staleMs: DAY_MS,
      keepMs: 7 * DAY_MS,
      load: () => loadList(ctx, { provider, chainId, own }),
    });
    return value;
  } catch (error) {
    ctx.log.warn("tokens_unreadable", { provider: provider.name, error: describeError(error) });
    return [];
  }
}

async function loadList(ctx: Context, { provider, chainId, own }: TokenListQuery): Promise<ListedToken[]> {
  const listed = (await provider.tokens?.(ctx.providers.scope, chainId)) ?? [];
  const accepted = acceptTokenList(listed, own);
  if (accepted === null) {
    throw failureFrom("upstream_rejected", "the token list was rejected", new Error(provider.name));
  }
  return confirmOnChain(ctx, { chainId, tokens: accepted });
}

/**
 * Returns the tokens whose listed decimals equal the token contract's `decimals()`: wrong decimals would change amounts
 * by orders of magnitude.
 */
async function confirmOnChain(
  ctx: Context,
  { chainId, tokens }: { chainId: number; tokens: readonly ListedToken[] },
): Promise<ListedToken[]> {
  const described = tokens.map(({ address }) => [
    address,
    createQuery({ decimals: read({ to: address, abi: erc20Abi, name: "decimals" }) }, ({ decimals }) =>
      valueOrNull(decimals),
    ),
  ]);
  const { value } = await readUncached(ctx, { chainId, query: queryAll(Object.fromEntries(described)) });
  const said = value as Record<string, number | null>;
  return tokens.filter(({ address, decimals }) => said[address] === decimals);
}

/** Maximum number of tokens taken from a provider's list. Providers list the most used tokens first. */
const MAX_TOKENS = 500;
/** Maximum decimals of an acceptable token. */
const MAX_DECIMALS = 36;
/** Pattern of an acceptable token symbol: 1 to 32 characters, without control characters or spaces. */
const TOKEN_SYMBOL = /^[^\p{C}\p{Z}]{1,32}$/u;
/** Pattern of an acceptable token name: at most 128 characters, without control characters. */
const TOKEN_NAME = /^[^\p{C}]{0,128}$/u;

/**
 * Returns the plausible tokens of a provider's list, the first 500 at most, without the native currency and tokens that
 * have the symbol of a token in `own` but not its address. Null if the whole list is unreliable: it repeats an address
 * or contradicts the decimals of a token in `own`.
 */
export function acceptTokenList(listed: readonly ListedToken[], own: readonly Token[]): ListedToken[] | null {
  const addresses = new Set(listed.map(({ address }) => address.toLowerCase()));
  if (addresses.size !== listed.length) return null;
  const contradicts = listed.some((token) =>
    own.some(({ address, decimals }) => sameAddress(address, token.address) && decimals !== token.decimals),
  );
  if (contradicts) return null;
  return listed.filter((token) => isSound(token) && !isImpostorToken(token, own)).slice(0, MAX_TOKENS);
}

function isSound({ address, symbol, name, decimals }: ListedToken): boolean {
  const inRange = decimals >= 0 && decimals <= MAX_DECIMALS;
  return inRange && TOKEN_SYMBOL.test(symbol) && TOKEN_NAME.test(name) && !isNative(address);
}

function isImpostorToken({ symbol, address }: ListedToken, own: readonly Token[]): boolean {
  const namesake = own.filter((token) => token.symbol.toUpperCase() === symbol.toUpperCase());
  return namesake.length > 0 && !namesake.some((token) => sameAddress(token.address, address));
}
