import type { AppError } from "../errors.ts";
import { DAY_S } from "../lib/durations.ts";
import type { Provider, ProviderScope, TransferQuote, TransferRequest } from "./provider.ts";
import { toProviderFailure } from "./provider-failures.ts";

/** The quotes of all providers, and the failures of those without one. */
export interface QuoteResults {
  quotes: TransferQuote[];
  /** By provider name. */
  failures: Map<string, AppError>;
}

/**
 * Requests quotes from all providers at once, each until the scope's deadline. A provider that fails only loses its
 * own quotes. Never throws.
 */
export async function requestQuotes(
  providers: readonly Provider[],
  ask: { scope: ProviderScope; request: TransferRequest },
): Promise<QuoteResults> {
  const asked = providers.map((provider) => provider.quote(ask.scope, ask.request));
  const answers = await Promise.allSettled(asked);
  const quotes: TransferQuote[] = [];
  const failures = new Map<string, AppError>();
  for (const [index, answer] of answers.entries()) {
    if (answer.status === "fulfilled") quotes.push(...answer.value);
    else failures.set(providers[index]?.name ?? "", toProviderFailure(answer.reason));
  }
  return { quotes, failures };
}

/** What the caller prefers among quotes. */
export interface QuotePreference {
  /** Key of the preferred bridge; null for no preference. */
  bridge: string | null;
  /** True when the vault can be called with what the bridge delivers, so that the user signs only once. */
  call: boolean;
}

interface RankingRule {
  name: string;
  /** The rule in a sentence, shown to users with the recommended route. */
  reason: string;
  /** Scores a quote by this rule; the higher score ranks first. */
  score(quote: TransferQuote, preference: QuotePreference): bigint;
}

const toScore = (holds: boolean): bigint => (holds ? 1n : 0n);
/** Ranks a quote without an estimated time last: as if it took a day. */
const UNKNOWN_DURATION_S = DAY_S;

/** The ranking rules by priority: each decides only between quotes that all earlier rules score equally. */
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
    name: "best_output",
    reason: "it guarantees the most",
    score: (quote) => quote.toAmountMin,
  },
  {
    name: "fastest",
    reason: "it is the fastest",
    score: (quote) => -BigInt(Math.ceil(quote.estimatedSeconds ?? UNKNOWN_DURATION_S)),
  },
];

/** Quotes in order of preference, with the rule that put the first one ahead. */
export interface QuoteRanking {
  /** Best first. */
  quotes: TransferQuote[];
  /** The rule that ranks the first quote above the second; null with fewer than two quotes or a tie. */
  decidedBy: Pick<RankingRule, "name" | "reason"> | null;
}

/** Ranks quotes by the ranking rules, best first; quotes that tie keep their order. Pure. */
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

function decidingRule(
  quote: TransferQuote,
  { other, preference }: { other: TransferQuote; preference: QuotePreference },
): RankingRule | null {
  return rankingRules.find((rule) => rule.score(quote, preference) !== rule.score(other, preference)) ?? null;
}
