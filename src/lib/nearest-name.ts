/**
 * Returns the known name that a misspelled one probably means, by its spelling, by a word that no other name has or by
 * what other APIs call the field; null if none is close enough. Only the first 64 characters of the text count.
 */
export function nearestName(text: string, names: readonly string[]): string | null {
  const wanted = lettersOf(text.slice(0, MAX_LENGTH));
  if (wanted === "") return null;
  const ranked = names
    .filter((name) => !areOpposite(text, name))
    .map((name) => ({ name, distance: editDistance(wanted, lettersOf(name)) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  if (best === undefined) return null;
  const elsewhere = USED_ELSEWHERE.get(wanted)?.find((name) => names.includes(name));
  if (best.distance > 0 && elsewhere !== undefined) return elsewhere;
  if (best.distance <= Math.max(1, Math.floor(wanted.length / 3))) return best.name;
  const [only, ...others] = names.filter((name) => name.split("_").some((word) => word === wanted));
  return only !== undefined && others.length === 0 ? only : null;
}

/** Names by which other APIs know a field of this one, without case and separators. */
const USED_ELSEWHERE = new Map<string, readonly string[]>([
  ...["page", "offset", "skip", "startingafter"].map((name) => [name, ["cursor"]] as const),
  ...["pagesize", "perpage", "first", "take"].map((name) => [name, ["limit"]] as const),
  ...["amount", "fromamount", "shareamount", "assets"].map((name) => [name, ["shares"]] as const),
  ...["wallet", "owner", "account"].map((name) => [name, ["user_address", "address"]] as const),
  ...["chainid", "chain", "network"].map((name) => [name, ["from_chain_id", "chain_id"]] as const),
  ...["token", "tokens", "address", "addresses"].map((name) => [name, ["ids"]] as const),
]);

/** Returns true for names of two ends of one thing, such as `from_token` and `to_token`: neither is a misspelling. */
function areOpposite(a: string, b: string): boolean {
  const [one, other] = [endOf(a), endOf(b)];
  return one !== null && other !== null && one !== other;
}

const endOf = (name: string): string | null => /^(?:from|to)(?=[_A-Z])/.exec(name)?.[0] ?? null;

/** Maximum length of a compared name; the rest is cut, because the time grows with the product of both lengths. */
const MAX_LENGTH = 64;

/** Returns the letters and digits of a name in lowercase, so that `from_token` equals `fromToken`. */
const lettersOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/**
 * Returns the least number of insertions, deletions and substitutions of characters between two texts (Levenshtein
 * distance).
 */
export function editDistance(a: string, b: string): number {
  const letters = [...b];
  let previous = Array.from({ length: letters.length + 1 }, (_, index) => index);
  for (const [row, letter] of [...a].entries()) {
    const current = [row + 1];
    for (const [column, other] of letters.entries()) {
      const substituted = (previous[column] ?? 0) + (letter === other ? 0 : 1);
      current.push(Math.min(substituted, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[letters.length] ?? 0;
}
