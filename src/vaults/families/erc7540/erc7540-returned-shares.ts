import { type Address, hexToBigInt, isAddressEqual, type Log, pad, toEventSelector } from "viem";
import { smaller } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import { type ExitSettlement, paidTo } from "../../vault-exits.ts";

/** Hexadecimal digits of an argument of an event. */
const WORD = 64;

/**
 * Events that show the return of a cancelled request's shares: at the cancellation or, in EIP-7887, at the claim.
 * `names` tells whether the request is the account's, `counts` that the last argument is the number of shares. Sources:
 * lagoon-v0 v0.6, Accountable, EIP-7887.
 */
const RETURNS: readonly {
  event: string;
  names: (words: string, account: string) => boolean;
  counts: boolean;
}[] = [
  {
    event: "RedeemRequestCanceled(uint256,address,uint256)",
    names: (words, account) => words.includes(account),
    counts: true,
  },
  {
    event: "CancelRedeemRequest(address,address,uint256,address)",
    names: (words, account) => words.startsWith(account),
    counts: false,
  },
  {
    // Controller and receiver, which Centrifuge and others emit in either order. Strangers can name the user as the
    // receiver of theirs, and shares that go to somebody else do not reach the user, so that both must be the user.
    event: "CancelRedeemClaim(address,address,uint256,address,uint256)",
    names: (words, account) => words.startsWith(account + account),
    counts: true,
  },
];
const returnsByTopic = once(() => new Map(RETURNS.map((one) => [toEventSelector(one.event), one] as const)));

/**
 * Returns the settlement of a request whose cancellation a receipt shows, or null, also if no shares reached the user.
 * Only as many shares are returned as the transfers show and, where the events name a number, they. Pure.
 */
export function findCancellation(
  vault: Vault,
  { user, logs }: { user: Address; logs: readonly Log[] },
): ExitSettlement | null {
  const account = pad(user).slice(2).toLowerCase();
  const named = logs.flatMap(({ address, topics, data }) => {
    const one = returnsByTopic().get(topics[0] ?? "0x");
    if (one === undefined || !isAddressEqual(address, vault.entryPoint)) return [];
    const words = [...topics.slice(1), data].map((part) => part.slice(2).toLowerCase()).join("");
    if (!one.names(words, account)) return [];
    return [one.counts ? hexToBigInt(`0x${words.slice(-WORD)}`) : null];
  });
  if (named.length === 0) return null;
  const returned = paidTo(logs, { token: vault.shareToken, receiver: user });
  const arrived = returned.reduce((sum, amount) => sum + amount, 0n);
  const most = named.reduce((sum, shares) => (sum === null || shares === null ? null : sum + shares), 0n);
  const shares = smaller(arrived, most) ?? 0n;
  return shares === 0n ? null : { outcome: "cancelled", assets: 0n, shares };
}
