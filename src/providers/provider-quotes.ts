import type { AppError } from "../errors.ts";
import { DAY_S } from "../lib/durations.ts";
import type { Provider, ProviderScope, TransferQuote, TransferRequest } from "./provider.ts";
import { toProviderFailure } from "./provider-failures.ts";

/** Result of requesting quotes for a transfer from several providers. Quotes are in the order of the providers. */
export interface QuoteResults {
  quotes: TransferQuote[];
  /** The error of each provider whose request failed, by provider name. */
  failures: Map<string, AppError>;
}

/**
 * Requests quotes in parallel from all providers that serve this kind of transfer (a swap on the chain, or a bridge),
 * and waits for the slowest. The error of a provider that fails is recorded in `failures`. Never throws.
 */
export async function requestQuotes(
  providers: readonly Provider[],
  ask: { scope: ProviderScope; request: TransferRequest },
): Promise<QuoteResults> {
  const asked = providers.filter((provider) => servesKindOf(provider, ask.request));
  const answers = await Promise.allSettled(asked.map((provider) => provider.quote(ask.scope, ask.request)));
  const quotes: TransferQuote[] = [];
  const failures = new Map<string, AppError>();
  for (const [index, answer] of answers.entries()) {
    if (answer.status === "fulfilled") quotes.push(...answer.value);
    else failures.set(asked[index]?.name ?? "", toProviderFailure(answer.reason));
  }
  return { quotes, failures };
}

/**
 * Returns true if a provider serves a kind of transfer: swaps on that chain for a transfer on one chain, bridges for a
 * transfer to another chain.
 */
function servesKindOf(provider: Provider, request: TransferRequest): boolean {
  const { swaps, swapChains, bridges } = provider.capabilities();
  if (request.fromChainId !== request.toChainId) return bridges.length > 0;
  return swaps && (swapChains?.includes(request.fromChainId) ?? true);
}

/** The caller's preferences for ranking quotes. */
export interface QuotePreference {
  /** Key of the preferred bridge, or null for no preference. */
  bridge: string | null;
  /**
   * True if the vault accepts a deposit that the bridge makes through the Router when it delivers, so that the user
   * signs only once.
   */
  call: boolean;
}

/** One criterion for ranking quotes. */
interface RankingRule {
  name: string;
  /** Why a quote ranks first by this rule, in words. */
  reason: string;
  /** Returns a quote's score under this rule; the highest score ranks first. */
  score(quote: TransferQuote, preference: QuotePreference): bigint;
}

const toScore = (holds: boolean): bigint => (holds ? 1n : 0n);
/** Duration assumed for a quote without an estimate, in seconds: one day, longer than any usual estimate. */
const UNKNOWN_DURATION_S = DAY_S;

/**
 * The rules for ranking quotes, most important first: preferred bridge, destination call, highest minimum output,
 * shortest duration. A rule decides only between quotes with equal scores under all earlier rules.
 */
export const rankingRules: readonly RankingRule[] = [
  {
    name: "preferred_bridge",
    reason: "the caller prefers this bridge",
    score: (quote, { bridge }) => toScore(bridge !== null && quote.bridge === bridge),
  },
  {
    name: "destination_call",
    reason: "one transaction is enough, because the bridge makes the deposit",
    score: (quote, { call }) => toScore(call && quote.supportsCall),
  },
  {
    name: "best_guarantee",
    reason: "it guarantees the most",
    score: (quote) => quote.toAmountMin,
  },
  {
    name: "fastest",
    reason: "it is the fastest",
    score: (quote) => -BigInt(Math.ceil(quote.estimatedSeconds ?? UNKNOWN_DURATION_S)),
  },
];

/** Quotes in order of preference, with the rule that ranks the first one above the second. */
export interface QuoteRanking {
  /** All ranked quotes, best first. */
  quotes: TransferQuote[];
  /**
   * The rule that ranks the first quote above the second, or null if there are fewer than two quotes or they
   * tie.
   */
  decidedBy: Pick<RankingRule, "name" | "reason"> | null;
}

/**
 * Sorts quotes by `rankingRules`, best first, and returns them with the rule that decided. Quotes that tie keep their
 * order. Outputs are compared as amounts, so all quotes must deliver the same token. Pure.
 */
export function rankQuotes(quotes: readonly TransferQuote[], preference: QuotePreference): QuoteRanking {
  const ranked = [...quotes].sort((a, b) => {
    const rule = decidingRule(a, { other: b, preference });
    if (rule === null) return 0;
    return rule.score(a, preference) > rule.score(b, preference) ? -1 : 1;
  });
  const [first, second] = ranked;
  if (first === undefined || second === undefined) return { quotes: ranked, decidedBy: null };
  return { quotes: ranked, decidedBy: decidingRule(first, { other: second, preference }) };
}

/** Returns the first rule under which two quotes have different scores, or null if they tie. */
function decidingRule(
  quote: TransferQuote,
  { other, preference }: { other: TransferQuote; preference: QuotePreference },
): RankingRule | null {
  return rankingRules.find((rule) => rule.score(quote, preference) !== rule.score(other, preference)) ?? null;
}
