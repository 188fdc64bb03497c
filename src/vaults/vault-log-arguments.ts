import { type Address, type Log, pad, toEventSelector } from "viem";
import { sameAddress } from "../lib/address.ts";
import { once } from "../lib/once.ts";
import type { Vault } from "./vault.ts";
import type { ExitSettlement } from "./vault-exits.ts";

const transferTopic = once(() => toEventSelector("Transfer(address,address,uint256)"));

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

/**
 * Returns a claim as its account gets it: a payment of nothing if the vault's events name other `receivers` alone, and
 * the account receives no tokens but shares in the receipt. It then counts once the request is gone, because shares
 * outside of a request may have been redeemed for others too.
 */
export function claimFor(
  { shareToken }: Pick<Vault, "shareToken">,
  {
    settlement,
    user,
    receivers,
    logs,
  }: { settlement: ExitSettlement; user: Address; receivers: readonly Address[]; logs: readonly Log[] },
): ExitSettlement {
  const account = pad(user).toLowerCase();
  const arrives = ({ address, topics: [topic, , to] }: Log) =>
    topic === transferTopic() && to?.toLowerCase() === account && !sameAddress(address, shareToken);
  const isOwn = receivers.some((receiver) => sameAddress(receiver, user)) || logs.some(arrives);
  return isOwn ? settlement : { ...settlement, assets: 0n, announced: true };
}
