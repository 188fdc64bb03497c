import { DAY_S } from "../lib/durations.ts";
import type { MoveOption } from "./provider.ts";

/** What decides between options. */
export interface Preference {
  /** Key of a bridge that the caller prefers; null: none. */
  bridge: string | null;
  /** Whether the vault can be called with what is delivered, so that one signature would do. */
  call: boolean;
}

interface Rule {
  name: string;
  /** For the people who ask why. */
  reason: string;
  /** How much an option is worth by this rule; more is better. */
  worth(option: MoveOption, preference: Preference): bigint;
}

const yes = (holds: boolean): bigint => (holds ? 1n : 0n);
/** A time that is not known counts as a day. */
const UNKNOWN_S = DAY_S;

/** In the order in which they decide: a rule is asked only about options that are equal by those before it. */
export const rules: readonly Rule[] = [
  {
    name: "preferred_bridge",
    reason: "the caller prefers this bridge",
    worth: (option, { bridge }) => yes(bridge !== null && option.bridge === bridge),
  },
  {
    name: "destination_call",
    reason: "one transaction is enough, because the bridge makes the deposit",
    worth: (option, { call }) => yes(call && option.callable),
  },
  {
    name: "best_output",
    reason: "it guarantees the most",
    worth: (option) => option.toAmountMin,
  },
  {
    name: "fastest",
    reason: "it is the fastest",
    worth: (option) => -BigInt(Math.ceil(option.estimatedSeconds ?? UNKNOWN_S)),
  },
];

export interface Ranking {
  /** Best first. */
  options: MoveOption[];
  /** The rule by which the first is before the second; null when there is nothing to decide. */
  decidedBy: Pick<Rule, "name" | "reason"> | null;
}

/** Puts options in order; equal ones stay as they came. Pure. */
export function rankOptions(options: readonly MoveOption[], preference: Preference): Ranking {
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
  option: MoveOption,
  { other, preference }: { other: MoveOption; preference: Preference },
): Rule | null {
  return rules.find((rule) => rule.worth(option, preference) !== rule.worth(other, preference)) ?? null;
}
