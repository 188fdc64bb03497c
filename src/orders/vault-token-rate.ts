import type { Context } from "../context.ts";
import { failure } from "../errors.ts";
import { sameAddress } from "../lib/address.ts";
import { fractionToParts, mulDivDown } from "../lib/amount.ts";
import { type Prices, priceOf, type TokenPrice } from "../prices/price.ts";
import { pricesOfRequest, requestMarketPrices } from "../prices/read-prices.ts";
import type { Warning } from "../schemas/step-schema.ts";
import type { Token, Vault } from "../vaults/vault.ts";
import type { DepositTerms } from "../vaults/vault-adapter.ts";
import { leastExpected, pricedValue, type ValuedToken } from "./order-fair-value.ts";
import { MAX_PRICE_LOSS } from "./order-slippage.ts";

/** An amount of a token, in its smallest unit. */
export interface TokenAmount {
  token: Token;
  amount: bigint;
}

/** An exchange of two tokens on one chain: `given` counts as `got`. `slippage` is the user's tolerance, as a fraction. */
export interface TokenExchange {
  chainId: number;
  given: TokenAmount;
  got: TokenAmount;
  slippage: number;
}

/**
 * Result of comparing an exchange with independent prices. `unverified`: a price is unknown or may judge no
 * offers, or the two sources of a price differ so much that they contradict each other.
 */
export type RateVerdict = "fair" | "unfair" | "unverified";

/**
 * Starts requesting the market prices by which `requireFairRate` compares tokens with a vault's asset, without waiting.
 * Does nothing for the asset alone, and never throws.
 */
export function requestRatePrices(
  ctx: Context,
  { vault, tokens }: { vault: Vault; tokens: readonly Token[] },
): void {
  const { chainId, asset } = vault;
  const others = tokens.filter(({ address }) => !sameAddress(address, asset.address));
  const priced = others.length === 0 ? [] : [...others, asset];
  requestMarketPrices(
    ctx,
    priced.map(({ address }) => ({ chainId, token: address })),
  );
}

/**
 * Compares a vault's own rate between its asset and another token with their independent prices, as `pricesOfRequest`
 * knows them now: it waits up to two seconds for requested ones. `given` counts as `got`, one of which is the asset.
 * Returns a warning if they cannot be compared; throws `price_unsafe` if the rate is unfair.
 */
export async function requireFairRate(
  ctx: Context,
  of: { vault: Vault; given: TokenAmount; got: TokenAmount; slippage: number },
): Promise<Warning[]> {
  const { vault, given, got, slippage } = of;
  const { chainId, name, asset } = vault;
  const tokens = [given, got].map(({ token }) => ({ chainId, token: token.address }));
  const verdict = compareExchange({ chainId, given, got, slippage }, await pricesOfRequest(ctx, tokens));
  if (verdict !== "unfair") return verdict === "fair" ? [] : [unverifiedRate(vault)];
  const detail = `${name} counts this token at a rate far from its price; its asset is ${asset.symbol}`;
  throw failure("price_unsafe", detail, { subject: "vault" });
}

/** Creates the warning for a vault whose rate for another token than its asset could not be compared with prices. */
export const unverifiedRate = ({ name }: Pick<Vault, "name">): Warning => ({
  code: "rate_unverified",
  detail: `nothing confirms the rate at which ${name} counts this token: compare the amounts before you sign`,
});

/** A sample of a share price: `shares` are worth `assets` of a token, both in smallest units. Null if unknown. */
type SharePrice = DepositTerms["price"];

/**
 * Returns what a vault's prices count an amount of a token (`given`) as, without fees, in its asset: rounded down. `own`
 * is its share price in the token, `inAsset` that in its asset. Throws `price_unsafe` if one of them is unknown.
 */
export function countedAsAsset(
  { vault, given }: { vault: Vault; given: TokenAmount },
  { own, inAsset }: { own: SharePrice; inAsset: SharePrice },
): TokenAmount {
  if (own === null || inAsset === null || own.assets === 0n || inAsset.shares === 0n)
    throw failure("price_unsafe", `${vault.name} reports no share price in its asset`, { subject: "vault" });
  const amount = mulDivDown(given.amount * own.shares, inAsset.assets, own.assets * inAsset.shares);
  return { token: vault.asset, amount };
}

/**
 * Compares an exchange with the tokens' independent prices. It is unfair if it costs more than the prices' errors and
 * 1.5% for two tokens of one unit, 3% for others, or the slippage up to 3% if that is more, by every source of the
 * prices. Pure.
 */
export function compareExchange(
  { chainId, given, got, slippage }: TokenExchange,
  prices: Prices,
): RateVerdict {
  const valued = ({ address, decimals }: Token): ValuedToken => ({
    ...{ decimals, price: priceOf(prices, { chainId, token: address }) },
  });
  const [from, to] = [valued(given.token), valued(got.token)];
  const leastBy = (sides: { from: ValuedToken; to: ValuedToken }): bigint | null => {
    const fair = pricedValue({ ...sides, amount: given.amount, nativeFee: 0n, native: UNUSED });
    if (fair === null) return null;
    const asked = fractionToParts(slippage);
    const tolerated = asked < MAX_PRICE_LOSS ? asked : MAX_PRICE_LOSS;
    return leastExpected({ ...fair, band: fair.band > tolerated ? fair.band : tolerated }, 0n);
  };
  const strictest = leastBy({ from, to });
  const mildest = leastBy({ from: turned(from), to: turned(to) });
  if (strictest === null || mildest === null) return "unverified";
  // One unit, which rounding costs.
  if (got.amount + 1n >= strictest) return "fair";
  return got.amount + 1n < mildest ? "unfair" : "unverified";
}

/** The native currency, in which no fee is paid. */
const UNUSED: ValuedToken = { decimals: null, price: null };

/** Exchanges the bounds of a token's price, so that the user's loss is the smallest that its sources allow. */
function turned({ decimals, price }: ValuedToken): ValuedToken {
  const exchanged: TokenPrice | null = price && { ...price, low: price.high, high: price.low };
  return { decimals, price: exchanged };
}
