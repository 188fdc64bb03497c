import { type Address, type Log, pad } from "viem";

/**
 * Returns true if an event's arguments, of which some may be indexed, contain this account; if `first`, as the first of
 * them.
 */
export function namesAccount(
  { topics, data }: Pick<Log, "topics" | "data">,
  { account, first = false }: { account: Address; first?: boolean },
): boolean {
  const words = [...topics.slice(1), data]
    .map((part) => part.slice(2))
    .join("")
    .toLowerCase();
  const word = pad(account).slice(2).toLowerCase();
  return first ? words.startsWith(word) : words.includes(word);
}
