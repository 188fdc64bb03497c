import {
  type Address,
  decodeEventLog,
  encodeFunctionData,
  getAddress,
  isAddressEqual,
  type Log,
  parseAbi,
  toEventSelector,
} from "viem";
import { createQuery, mapQuery, type Query, queryAll, read } from "../../../chains/chain-reads.ts";
import { parseAddress, sameAddress } from "../../../lib/address.ts";
import { mulDivDown } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import {
  type ExitFollowUp,
  type ExitRequestSeen,
  type ExitSettlement,
  joinPending,
  type PendingExit,
  unknownPendingExit,
} from "../../vault-exits.ts";
import { addressesParam } from "../../vault-params.ts";
import { delayedTokens } from "./veda-delayed-withdraw.ts";
import { oneShare } from "./veda-pricing.ts";

/**
 * ABI of Veda's oldest queue, which serves any two tokens: an account offers one, and a solver that pulls it pays the
 * other. Source: Veda-Labs/boring-vault, AtomicQueue.
 */
const queueAbi = once(() =>
  parseAbi([
    "struct AtomicRequest { uint64 deadline; uint88 atomicPrice; uint96 offerAmount; bool inSolve; }",
    "function getUserAtomicRequest(address user, address offer, address want) view returns (AtomicRequest)",
    "function updateAtomicRequest(address offer, address want, AtomicRequest userRequest)",
  ]),
);
const eventsAbi = once(() =>
  parseAbi([
    "event AtomicRequestUpdated(address indexed user, address indexed offerToken, address indexed wantToken, uint256 amount, uint256 deadline, uint256 minPrice, uint256 timestamp)",
    "event AtomicRequestFulfilled(address indexed user, address indexed offerToken, address indexed wantToken, uint256 offerAmountSpent, uint256 wantAmountReceived, uint256 timestamp)",
  ]),
);
/** ABI of the same events in the first versions of the queue, which index no argument; the topics are the same. */
const firstEventsAbi = once(() =>
  parseAbi([
    "event AtomicRequestUpdated(address user, address offerToken, address wantToken, uint256 amount, uint256 deadline, uint256 minPrice, uint256 timestamp)",
    "event AtomicRequestFulfilled(address user, address offerToken, address wantToken, uint256 offerAmountSpent, uint256 wantAmountReceived, uint256 timestamp)",
  ]),
);

/**
 * Returns the vault's AtomicQueues. The chain does not name them, because they serve any two tokens: they are those of
 * the registry parameter `atomic_queues`. Throws an Error if it is invalid.
 */
export const atomicQueues = (vault: Vault): Address[] => addressesParam(vault, "atomic_queues");

/** Returns the first topic of the event that reports a payment by an AtomicQueue. */
export const atomicPaymentTopic = once(() => toEventSelector(eventsAbi()[1]));

type AtomicLog = Pick<Log, "address" | "topics" | "data">;

/**
 * An event of one of the vault's AtomicQueues for the vault's shares and one of its tokens. `shares` were offered or
 * taken; `assets`, in the smallest unit of `token`, were paid, or are what the shares are offered for.
 */
interface AtomicEvent {
  kind: "updated" | "paid";
  requestId: string;
  user: Address;
  token: Address;
  shares: bigint;
  assets: bigint;
}

/**
 * Returns the event in a log, or null. Other tokens than those that the vault pays are ignored: the queue takes any,
 * worthless ones too, and an exchange for such a token is like a sale of the shares elsewhere.
 */
function atomicEventOf(vault: Vault, log: AtomicLog): AtomicEvent | null {
  const queue = atomicQueues(vault).find((one) => sameAddress(one, log.address));
  const seen = queue === undefined ? null : decodeEvent(log);
  if (queue === undefined || seen === null || !isAddressEqual(seen.args.offerToken, vault.shareToken))
    return null;
  const { user, wantToken } = seen.args;
  const token = delayedTokens(vault).find(({ address }) => isAddressEqual(address, wantToken))?.address;
  if (token === undefined) return null;
  const own = { requestId: atomicRequestId({ queue, token }), user, token };
  if (seen.eventName === "AtomicRequestFulfilled") {
    const { offerAmountSpent: shares, wantAmountReceived: assets } = seen.args;
    return { kind: "paid", ...own, shares, assets };
  }
  const { amount: shares, minPrice } = seen.args;
  return { kind: "updated", ...own, shares, assets: paidFor(vault, { shares, price: minPrice }) };
}

function decodeEvent({ topics, data }: AtomicLog) {
  try {
    return topics.length === 1
      ? decodeEventLog({ abi: firstEventsAbi(), topics, data })
      : decodeEventLog({ abi: eventsAbi(), topics, data });
  } catch {
    // Another event, or one with other arguments.
    return null;
  }
}

/** Returns the payment for shares at a price of one whole share in the paid token's smallest unit, rounded down. */
const paidFor = (vault: Vault, { shares, price }: { shares: bigint; price: bigint }): bigint =>
  mulDivDown(shares, price, oneShare(vault));

/** Returns the payment that a log of an AtomicQueue reports, or null. It may be in another token than the asset. */
export function atomicPayment(vault: Vault, log: AtomicLog): Omit<AtomicEvent, "kind"> | null {
  const event = atomicEventOf(vault, log);
  if (event?.kind !== "paid") return null;
  const { kind: _, ...payment } = event;
  return payment;
}

const ID_PREFIX = "atomic/";

/** Returns an id for an account's request for a token at an AtomicQueue, which numbers no requests. */
const atomicRequestId = ({ queue, token }: { queue: Address; token: Address }): string =>
  `${ID_PREFIX}${queue.toLowerCase()}/${token.toLowerCase()}`;

/** Returns true for an id of a request at an AtomicQueue. */
export const isAtomicRequest = (requestId: string): boolean => requestId.startsWith(ID_PREFIX);

/**
 * Returns true for an id of a request at an AtomicQueue for this token. Its cancellation moves no token, and its payment
 * is a transfer of the token to the user.
 */
export const isAtomicRequestFor = (requestId: string, token: string): boolean =>
  isAtomicRequest(requestId) && sameAddress(requestId.split("/")[2] ?? "", token);

/**
 * Returns a query for the user's requests at the vault's AtomicQueues, with the payment that their price fixes; null if
 * one cannot be read. The shares stay in the wallet: a request that they or their allowance no longer cover waits.
 */
export function pendingAtomic(
  vault: Vault,
  { user, now }: { user: Address; now: number },
): Query<readonly PendingExit[] | null> {
  const parts = atomicQueues(vault).flatMap((queue) =>
    delayedTokens(vault).map(({ address: token }) => {
      const args = [user, vault.shareToken, token] as const;
      const request = read({ to: queue, abi: queueAbi(), name: "getUserAtomicRequest", args });
      const requestId = atomicRequestId({ queue, token });
      const query = createQuery({ request }, (seen): readonly PendingExit[] | null => {
        if (!seen.request.ok) return null;
        const { deadline, atomicPrice: price, offerAmount: shares } = seen.request.value;
        if (shares === 0n) return [];
        return [
          {
            ...unknownPendingExit,
            ...{ requestId, shares, assets: paidFor(vault, { shares, price }), priced: true, token },
            state: Number(deadline) * 1_000 < now ? "expired" : "pending",
            ...{ claimableAssets: 0n, claimableShares: 0n, expiresAt: Number(deadline) },
            ...{ cancellable: true, inWallet: true },
          },
        ];
      });
      return [requestId, query] as const;
    }),
  );
  return mapQuery(queryAll(Object.fromEntries(parts)), (found) => joinPending(Object.values(found)));
}

/**
 * Encodes the cancellation of a request at an AtomicQueue: an update that offers nothing. The allowance of the shares
 * stands. Null if the registry entry does not name the request's queue.
 */
export function atomicCancellation(vault: Vault, { requestId }: PendingExit): ExitFollowUp | null {
  const [, queue = "", token = ""] = requestId.split("/");
  const [target, want] = [atomicQueues(vault).find((one) => sameAddress(one, queue)), parseAddress(token)];
  if (!isAtomicRequest(requestId) || target === undefined || want === null) return null;
  const nothing = { deadline: 0n, atomicPrice: 0n, offerAmount: 0n, inSolve: false };
  const args = [vault.shareToken, getAddress(want), nothing] as const;
  return { target, data: encodeFunctionData({ abi: queueAbi(), functionName: "updateAtomicRequest", args }) };
}

/** Returns the user's events at the vault's AtomicQueues in a receipt's logs, in log order. */
const eventsIn = (vault: Vault, { user, logs }: { user: Address; logs: readonly Log[] }): AtomicEvent[] =>
  logs.flatMap((log) => atomicEventOf(vault, log) ?? []).filter((event) => isAddressEqual(event.user, user));

/** Finds the user's request at an AtomicQueue in a receipt's logs, or returns null. */
export function findAtomicRequest(
  vault: Vault,
  seen: { user: Address; logs: readonly Log[] },
): ExitRequestSeen | null {
  const found = eventsIn(vault, seen).findLast(({ kind }) => kind === "updated");
  if (found === undefined || found.shares === 0n) return null;
  const { requestId, shares, token } = found;
  return { requestId, shares, mode: "request", token };
}

/** Returns true if the last update of the user's requests at the AtomicQueues offers nothing, in a receipt's logs. */
export const endsAtomicRequest = (vault: Vault, seen: { user: Address; logs: readonly Log[] }): boolean =>
  eventsIn(vault, seen).findLast(({ kind }) => kind === "updated")?.shares === 0n;

/**
 * Finds in a receipt's logs how a user's request at an AtomicQueue ended, or returns null. A payment for other shares
 * than `requestLogs` show, or another update, means that the user replaced the request, whose shares stayed in the
 * wallet.
 */
export function findAtomicSettlement(
  vault: Vault,
  seen: { user: Address; requestId: string; logs: readonly Log[]; requestLogs: readonly Log[] },
): ExitSettlement | null {
  const { user, requestId } = seen;
  const made = findAtomicRequest(vault, { user, logs: seen.requestLogs });
  const own = eventsIn(vault, seen).filter((event) => event.requestId === requestId);
  // The queue pays all shares of a request or none.
  const paid = own.find(({ kind, shares }) => kind === "paid" && shares === (made?.shares ?? shares));
  if (paid !== undefined) return { outcome: "paid", assets: paid.assets, shares: paid.shares, alone: true };
  return own.length > 0 ? { outcome: "cancelled", assets: 0n } : null;
}
