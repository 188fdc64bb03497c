import { AppError, failureFrom } from "../errors.ts";
import { DAY_S } from "../lib/durations.ts";
import type { Provider, ProviderScope, TransferQuote, TransferRequest } from "./provider.ts";

export interface QuoteResults {
  options: TransferQuote[];
  /** Of the providers that offered nothing, by name. */
  failures: Map<string, AppError>;
}

/**
 * Asks all providers for their prices at once, each until the scope's deadline; one that fails costs its own
 * options and nothing else. Never throws.
 */
export async function requestQuotes(
  providers: readonly Provider[],
  ask: { scope: ProviderScope; request: TransferRequest },
): Promise<QuoteResults> {
  const asked = providers.map((provider) => provider.quote(ask.scope, ask.request));
  const answers = await Promise.allSettled(asked);
  const options: TransferQuote[] = [];
  const failures = new Map<string, AppError>();
  for (const [index, answer] of answers.entries()) {
    if (answer.status === "fulfilled") options.push(...answer.value);
    else failures.set(providers[index]?.name ?? "", toProviderFailure(answer.reason));
  }
  return { options, failures };
}

/** A provider throws only failures of ours; anything else is its own defect, and no reason to fail with it. */
export function toProviderFailure(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return failureFrom("upstream_unavailable", "the provider could not be used", error);
}

/** What decides between options. */
export interface QuotePreference {
  /** Key of a bridge that the caller prefers; null: none. */
  bridge: string | null;
  /** Whether the vault can be called with what is delivered, so that one signature would do. */
  call: boolean;
}

interface RankingRule {
  name: string;
  /** For the people who ask why. */
  reason: string;
  /** How much an option is worth by this rule; more is better. */
  worth(option: TransferQuote, preference: QuotePreference): bigint;
}

const toRank = (holds: boolean): bigint => (holds ? 1n : 0n);
/** A time that is not known counts as a day. */
const UNKNOWN_DURATION_S = DAY_S;

/** In the order in which they decide: a rule is asked only about options that are equal by those before it. */
export const rankingRules: readonly RankingRule[] = [
  {
    name: "preferred_bridge",
    reason: "the caller prefers this bridge",
    worth: (option, { bridge }) => toRank(bridge !== null && option.bridge === bridge),
  },
  {
    name: "destination_call",
    reason: "one transaction is enough, because the bridge makes the deposit",
    worth: (option, { call }) => toRank(call && option.callable),
  },
  {
    name: "best_output",
    reason: "it guarantees the most",
    worth: (option) => option.toAmountMin,
  },
  {
    name: "fastest",
    reason: "it is the fastest",
    worth: (option) => -BigInt(Math.ceil(option.estimatedSeconds ?? UNKNOWN_DURATION_S)),
  },
];

export interface QuoteRanking {
  /** Best first. */
  options: TransferQuote[];
  /** The rule by which the first is before the second; null when there is nothing to decide. */
  decidedBy: Pick<RankingRule, "name" | "reason"> | null;
}

/** Puts options in order; equal ones stay as they came. Pure. */
export function rankQuotes(options: readonly TransferQuote[], preference: QuotePreference): QuoteRanking {
  const ranked = [...options].sort((a, b) => {
    const rule = decidingRule(a, { other: b, preference });
    if (rule === null) return 0;
    return rule.worth(a, preference) > rule.worth(b, preference) ? -1 : 1;
  });
  const [first, second] = ranked;
  if (first === undefined || second === undefined) return { options: ranked, decidedBy: null };
  return { options: ranked, decidedBy: decidingRule(first, { other: second, preference }) };
}

function decidingRule(
  option: TransferQuote,
  { other, preference }: { other: TransferQuote; preference: QuotePreference },
): RankingRule | null {
  return (
    rankingRules.find((rule) => rule.worth(option, preference) !== rule.worth(other, preference)) ?? null
  );
}
