import { keccak256, stringToHex } from "viem";
import type { Tier } from "../../schemas/signal-schema.ts";
import type { GovernanceChange } from "../signal-facts.ts";

/** Governance changes that one finding reports, oldest first; never empty. */
export interface ChangeGroup {
  /** Contract and event, with a hash of what else the changes have in common, if anything, or `others` for the rest. */
  subject: string;
  changes: readonly GovernanceChange[];
}

const TIERS_ASCENDING: readonly Tier[] = ["low", "medium", "high"];
/** Returns the severity of a governance change. */
export const severityOf = ({ event, args, seconds }: GovernanceChange): Tier =>
  (args === null ? null : event.tierFor?.(args, seconds)) ?? event.tier;
const rankOf = (change: GovernanceChange): number => TIERS_ASCENDING.indexOf(severityOf(change));

/** Returns the latest of the most severe changes of a group. */
export function mostSevere({ changes }: ChangeGroup): GovernanceChange {
  const [first, ...others] = changes;
  if (first === undefined) throw new RangeError("a group needs at least one governance change");
  return others.reduce((best, change) => (rankOf(change) >= rankOf(best) ? change : best), first);
}

/** Returns the title of a change without the vault's name. */
export function headlineOf({ event, args, seconds }: GovernanceChange): string {
  if (event.title !== undefined && args !== null) return event.title(args, seconds);
  if (event.stage === "announced") return `change to the ${event.what} submitted`;
  if (event.stage === "withdrawn") return `pending change to the ${event.what} cancelled`;
  return `${event.what} changed`;
}

/** Maximum number of groups of one event, because a contract can emit any number of different ones. */
const MAX_GROUPS = 10;

/**
 * Groups changes so that few hide behind another. Those of one group have the same contract, event name, title and
 * severity and, unless that is low, equal addresses, hashes and ids as arguments, except who made the change and long
 * call data. Of more than ten groups of an event, ten remain, preferably severe and of different titles; one more has
 * all the rest.
 */
export function groupChanges(changes: readonly GovernanceChange[]): ChangeGroup[] {
  return [...groupBy(changes, nameOf)].flatMap(([name, ofEvent]) => {
    const groups = [...groupBy(ofEvent, distinctionOf)].map(([distinction, own]) => ({
      subject: distinction === "" ? name : `${name} ${keccak256(stringToHex(distinction)).slice(2, 18)}`,
      changes: own,
    }));
    if (groups.length <= MAX_GROUPS) return groups;
    const first = byImportance(groups).slice(0, MAX_GROUPS);
    const rest = groups.filter((group) => !first.includes(group)).flatMap((group) => group.changes);
    const others = ofEvent.filter((change) => rest.includes(change));
    return [...first, { subject: `${name} others`, changes: others }];
  });
}

/** Groups changes by a text, in the order in which the texts first occur. */
function groupBy(
  changes: readonly GovernanceChange[],
  textOf: (change: GovernanceChange) => string,
): ReadonlyMap<string, GovernanceChange[]> {
  const groups = new Map<string, GovernanceChange[]>();
  for (const change of changes) groups.set(textOf(change), [...(groups.get(textOf(change)) ?? []), change]);
  return groups;
}

/** Names an event and its contract: the owner of one contract and that of another are different subjects. */
const nameOf = ({ event: { contract, signature } }: GovernanceChange): string =>
  `${contract} ${signature.split("(")[0] ?? ""}`;

/** Arguments that name the account which made a change, not what it changes. */
const ACTORS = new Set(["caller", "sender"]);
/** Maximum length of a hex text that names something: a call of two words. Longer calls are of one kind by their title. */
const LONGEST_NAME = 2 + 8 + 128;

/** Returns what distinguishes a change from others of the same event; empty for an event whose changes are all alike. */
function distinctionOf(change: GovernanceChange): string {
  const { event, args } = change;
  const severity = severityOf(change);
  const named = severity === "low" ? [] : Object.entries(args ?? {}).filter(isName);
  return [
    ...(event.title === undefined ? [] : [headlineOf(change)]),
    ...(severity === event.tier ? [] : [severity]),
    ...named.map(([, value]) => String(value)),
  ].join(" ");
}

/** Returns true for an argument that names what is changed: an address, a selector, a hash or an id. */
const isName = ([name, value]: readonly [string, unknown]): boolean =>
  !ACTORS.has(name) && (typeof value === "string" ? value.length <= LONGEST_NAME : /^(id|.*Id)$/.test(name));

/** Sorts groups by descending severity; of equal ones, the first group of each title comes before the second. */
function byImportance(groups: readonly ChangeGroup[]): ChangeGroup[] {
  const seen = new Map<string, number>();
  const ranked = groups.map((group) => {
    const lead = mostSevere(group);
    const title = headlineOf(lead);
    const turn = seen.get(title) ?? 0;
    seen.set(title, turn + 1);
    return { group, turn, rank: rankOf(lead) };
  });
  return ranked.sort((a, b) => b.rank - a.rank || a.turn - b.turn).map(({ group }) => group);
}
