import { type Address, zeroAddress } from "viem";
import type { ChainClient } from "../chains/chain-client.ts";
import type { Context } from "../context.ts";
import { AppError } from "../errors.ts";
import { fractionToParts, PARTS_PER_BILLION } from "../lib/amount.ts";
import type { ChainToken } from "../prices/price.ts";
import { hasUnreadFeed, pricesOfRequest } from "../prices/read-prices.ts";
import type { TransferQuote, VerifiedTransfer } from "../providers/provider.ts";
import type { Warning } from "../schemas/step-schema.ts";
import type { Token } from "../vaults/vault.ts";
import type { AuthorizationWish } from "./authorization/choose-authorization.ts";
import {
  type FairValue,
  mostExpected,
  pricedValue,
  sameAssetValue,
  secondQuoteValue,
  type ValuedPayment,
} from "./order-fair-value.ts";
import {
  type FairnessBreach,
  type FairnessCase,
  findUnfairness,
  type SimulatedOutput,
  type TokenRelation,
  toleranceOf,
} from "./order-fairness-rules.ts";
import { type LossSplit, splitSlippage } from "./order-floors.ts";
import {
  type AssetTable,
  counterpartOf,
  pricedForms,
  relationOf,
  valuationPrice,
} from "./order-token-relation.ts";

/**
 * An order that needs a swap or bridge: the payment, the destination chain, and the slippage tolerance. `from.amount`
 * is in the token's smallest unit.
 */
export interface RouteOrder {
  from: { client: ChainClient; chainId: number; token: Address; amount: bigint };
  /** Client of the destination chain. */
  client: ChainClient;
  user: Address;
  /** Slippage tolerance: maximum total loss, as a fraction. */
  slippage: number;
  /** Bridge to try before all others, or null. */
  preferredBridge: string | null;
  /** Authorization that the user requests; absent if no signature can pay for the route. */
  authorize?: AuthorizationWish;
}

/**
 * Where a route ends. `one_step`: the provider's transfer ends in a Router call. `two_step`: the provider's transfer
 * only delivers the token.
 */
export type RouteEnd = "one_step" | "two_step";

/** Quotes for one order and target token, with the data needed to evaluate them, except prices. */
export interface OfferSet {
  order: RouteOrder;
  token: Token;
  /** Decimals of the paid token, or null if unknown. */
  paidDecimals: number | null;
  /** Asset tables of the providers, which state what bridges exchange one for one. */
  tables: readonly AssetTable[];
  /** The quotes for the token, fair or not; in a pass for the preferred bridge possibly that bridge's alone. */
  quotes: readonly TransferQuote[];
}

const onOneChain = ({ from, client }: RouteOrder): boolean => from.chainId === client.definition.chainId;

/**
 * Returns the tokens whose prices are used to evaluate an order's offers: paid, requested and native token, each also
 * in its native or wrapped form, and for a bridge the requested token's form on the source chain, if known.
 */
export function pricedTokens(set: Pick<OfferSet, "order" | "token" | "tables">): ChainToken[] {
  const { from, to, native, counterpart } = tokensOf(set);
  const forms = [from, to, native].flatMap(pricedForms);
  return counterpart === null ? forms : [...forms, counterpart];
}

function tokensOf({ order, token, tables }: Pick<OfferSet, "order" | "token" | "tables">) {
  const source = order.from.client.definition;
  const from = { chain: source, token: order.from.token };
  const to = { chain: order.client.definition, token: token.address };
  const native = { chain: source, token: zeroAddress };
  const counterpart = onOneChain(order) ? null : counterpartOf(tables, { token: to, chain: source });
  const stand = counterpart === null ? null : { chainId: source.chainId, token: counterpart };
  return { from, to, native, counterpart: stand };
}

/**
 * Quotes with the prices that are known so far. The payment's `nativeFee` is zero: each quote has its own, which is
 * added when the quote is evaluated.
 */
export interface ValuedOffers extends OfferSet {
  relation: TokenRelation;
  payment: ValuedPayment;
  /**
   * True if reads on the destination chain may still change what the offers are worth: the order crosses chains, and
   * the requested token had no price, or a feed that was not read, when the prices were taken.
   */
  mayLearn: boolean;
}

/**
 * Adds to a set of quotes the prices that `pricesOfRequest` knows now. Sends no requests, but waits up to two seconds
 * for requested prices. Never throws.
 */
export async function valueOffers(ctx: Context, set: OfferSet): Promise<ValuedOffers> {
  const { order, token, tables, paidDecimals } = set;
  const { from, to, native, counterpart } = tokensOf(set);
  const isUnread = () => pricedForms(to).some((form) => hasUnreadFeed(ctx, form));
  // Other requests read feeds meanwhile: what is unread before or after the prices are taken may be missing in them.
  const unread = isUnread();
  const prices = await pricesOfRequest(ctx, pricedTokens(set));
  const asked = valuationPrice(prices, { token: to, counterpart });
  return {
    ...set,
    relation: relationOf(tables, { from, to }),
    mayLearn: !onOneChain(order) && (asked === null || unread || isUnread()),
    payment: {
      amount: order.from.amount,
      nativeFee: 0n,
      from: { decimals: paidDecimals, price: valuationPrice(prices, { token: from, counterpart: null }) },
      to: { decimals: token.decimals, price: asked },
      native: {
        decimals: order.from.client.definition.native.decimals,
        price: valuationPrice(prices, { token: native, counterpart: null }),
      },
    },
  };
}

/**
 * Returns the fair value of an order's payment: one to one for the same asset, otherwise by prices, otherwise by the
 * highest of the other providers' quotes that agree within the slippage. Null if none is possible.
 */
function fairValueOf(
  offers: ValuedOffers,
  by: { option: TransferQuote; nativeFee: bigint },
): FairValue | null {
  const payment = { ...offers.payment, nativeFee: by.nativeFee };
  const same = offers.relation === "same_asset" ? sameAssetValue(payment) : null;
  return same ?? pricedValue(payment) ?? secondQuote(offers, { payment, option: by.option });
}

function secondQuote(
  offers: ValuedOffers,
  { payment, option }: { payment: ValuedPayment; option: TransferQuote },
): FairValue | null {
  const slippage = fractionToParts(offers.order.slippage);
  const values = offers.quotes
    .filter(({ provider }) => provider !== option.provider)
    .map((other) => secondQuoteValue(payment, { output: other.toAmount, slippage }))
    .filter((fair) => fair !== null)
    .filter((fair) => agrees(fair, option));
  return values.reduce<FairValue | null>(
    (best, fair) => (best === null || fair.output > best.output ? fair : best),
    null,
  );
}

/** Returns true if an option's expected output and the fair value's differ by at most the value's band. */
function agrees(fair: FairValue, { toAmount }: TransferQuote): boolean {
  const [low, high] = toAmount < fair.output ? [toAmount, fair.output] : [fair.output, toAmount];
  return (high - low) * PARTS_PER_BILLION <= high * fair.band;
}

/** One quote with its fair value and the allowed losses: what the fairness rules need before anything is built. */
export type Offer = Omit<FairnessCase, "built" | "simulated" | "minIn">;

/**
 * Converts a quote to the input of the fairness rules, with the prices in `offers`. On one chain, the transfer of a
 * one-step route (`ends`) gets the whole slippage. `nativeFee` is in wei and replaces the quote's own. Pure.
 */
export function toOffer(
  offers: ValuedOffers,
  of: { option: TransferQuote; ends: RouteEnd; nativeFee?: bigint },
): Offer {
  const slippage = fractionToParts(offers.order.slippage);
  const exact = onOneChain(offers.order) && of.ends === "one_step";
  const loss: LossSplit = exact ? { transfer: slippage, vault: 0n } : splitSlippage(slippage);
  const fair = fairValueOf(offers, { option: of.option, nativeFee: of.nativeFee ?? of.option.nativeFee });
  return { relation: offers.relation, fair, slippage, loss, option: of.option };
}

/** Returns the first fairness rule that a quote breaks before anything is built, or null if it breaks none. */
export function findUnfairOption(offer: Offer): FairnessBreach | null {
  return findUnfairness({ ...offer, built: null, simulated: null, minIn: null });
}

/** Returns true if a quote's expected output exceeds `mostExpected`; false if its fair value is unknown. */
export const promisesTooMuch = ({ fair, option }: Offer): boolean =>
  fair !== null && option.toAmount > mostExpected(fair);

/**
 * Returns the maximum losses of an offer's transfer and of the vault deposit. That of the transfer is the tolerance to
 * request from the provider. Throws `price_unsafe` if the offer breaks a fairness rule.
 */
export function planLoss(offer: Offer): LossSplit {
  const broken = findUnfairOption(offer);
  const transfer = toleranceOf(offer);
  if (broken !== null || transfer === null) throw unfairOffer(broken);
  return { ...offer.loss, transfer };
}

/**
 * Results for a chosen offer: the built transaction, its simulation (null before or without one), and the minimum that
 * is enforced for the delivered amount.
 */
export interface OfferOutcome {
  built: VerifiedTransfer;
  simulated: SimulatedOutput | null;
  /**
   * Minimum delivered amount that the Router's deposit call accepts, in smallest units, or null for a transfer without
   * such a call.
   */
  minIn: bigint | null;
}

/** Throws `price_unsafe` if a built or simulated offer breaks a fairness rule. */
export function assertFair(offer: Offer, outcome: OfferOutcome): void {
  const broken = findUnfairness({ ...offer, ...outcome });
  if (broken !== null) throw unfairOffer(broken);
}

const UNFAIR_DETAIL =
  "the offered routes are worth less than the slippage tolerance allows, or have no price";

/**
 * Creates the `price_unsafe` error of an offer, with the subject `route`. `broken`, the rule that it breaks, is only
 * logged; null if no tolerance keeps the guaranteed value high enough.
 */
export function unfairOffer(broken: FairnessBreach | null): AppError {
  const cause = new Error(broken === null ? "no tolerance" : `${broken.rule}: ${broken.why}`);
  return new AppError("price_unsafe", UNFAIR_DETAIL, { members: { subject: "route" }, cause });
}

/**
 * Returns the warnings for the user about a built offer: `price_unverified` if only a second provider's quote confirms
 * it.
 */
export function warningsOf({ fair }: Offer): Warning[] {
  if (fair?.basis !== "second_quote") return [];
  return [
    {
      code: "price_unverified",
      detail:
        "no independent price is known for a token of this route; a second provider's offer agrees with it",
    },
  ];
}
