import { type Address, isAddressEqual, type Log, parseAbi, parseEventLogs } from "viem";
import { sameAddress } from "../../../lib/address.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import { type ExitRequestSeen, type ExitSettlement, paidTo } from "../../vault-exits.ts";
import { claimFor } from "../../vault-log-arguments.ts";
import { addressParam } from "../../vault-params.ts";
import { isMapleRequestId } from "./maple-requests.ts";

/**
 * ABI of the events of a Maple pool, and of both versions of its queue, which number requests in different types.
 * Sources: maple-labs/pool-v2, maple-labs/withdrawal-manager-queue.
 */
const eventsAbi = once(() =>
  parseAbi([
    "event RedemptionRequested(address indexed owner, uint256 shares, uint256 escrowedShares)",
    "event SharesRemoved(address indexed owner, uint256 shares)",
    "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
    "event RequestCreated(uint128 indexed requestId, address indexed owner, uint256 shares)",
    "event RequestProcessed(uint128 indexed requestId, address indexed owner, uint256 shares, uint256 assets)",
    "event RequestDecreased(uint128 indexed requestId, uint256 shares)",
    "event RequestRemoved(uint128 indexed requestId)",
    "event RequestCreated(uint256 indexed requestId, address indexed owner, uint256 shares)",
    "event RequestProcessed(uint256 indexed requestId, address indexed owner, uint256 shares, uint256 assets)",
    "event RequestDecreased(uint256 indexed requestId, uint256 shares)",
    "event RequestRemoved(uint256 indexed requestId)",
  ]),
);

type SeenLogs = { user: Address; logs: readonly Log[] };
type EndLogs = SeenLogs & { requestId: string; requestLogs: readonly Log[] };

/** Decodes the events of pools and queues in log order, whichever contracts emitted them. */
const eventsIn = (logs: readonly Log[]) => parseEventLogs({ abi: eventsAbi(), logs: [...logs] });

/**
 * Finds a user's request in a receipt's logs, or returns null. Its id is the one that the queue that took the shares
 * assigned, or `0` if no queue did: then the withdrawal manager is cyclical.
 */
export function findMapleRequest(vault: Vault, { user, logs }: SeenLogs): ExitRequestSeen | null {
  let requestId: bigint | null = null;
  for (const { address, eventName, args } of eventsIn(logs)) {
    const own = "owner" in args && isAddressEqual(args.owner, user);
    if (!own) continue;
    if (eventName === "RequestCreated" && isAmongPayees(vault, { logs, account: address }))
      requestId = args.requestId;
    // The pool's event follows that of its queue.
    if (eventName === "RedemptionRequested" && isAddressEqual(address, vault.entryPoint))
      return { requestId: (requestId ?? 0n).toString(), shares: args.shares };
  }
  return null;
}

const isAmongPayees = (
  vault: Vault,
  { logs, account }: { logs: readonly Log[]; account: Address },
): boolean => paidTo(logs, { token: vault.shareToken, receiver: account }).length > 0;

/**
 * Finds in a receipt's logs how a user's request, or a part of it, ended: paid by the queue, redeemed by the user
 * (`unnamed` for the id of a queue, because it may be another request), or cancelled, which returns the shares. Null if
 * the logs do not show its end. An id that no queue assigns, such as `0`, stands for any request of the user.
 * `requestLogs` are those of the transaction that made the request.
 */
export function findMapleEnd(vault: Vault, of: EndLogs): ExitSettlement | null {
  return paidByQueue(vault, of) ?? redeemedByUser(vault, of) ?? returnedShares(vault, of);
}

const names = (requestId: string, id: bigint): boolean =>
  !isMapleRequestId(requestId) || requestId === id.toString();

/** Returns the payment by a queue: it processes each request and then redeems its own shares for the user. */
function paidByQueue(
  vault: Vault,
  { user, requestId, logs }: SeenLogs & { requestId: string },
): ExitSettlement | null {
  let queue: Address | null = null;
  let [assets, shares] = [0n, 0n];
  for (const { address, eventName, args } of eventsIn(logs)) {
    if (eventName === "RequestProcessed")
      queue = isAddressEqual(args.owner, user) && names(requestId, args.requestId) ? address : null;
    if (eventName !== "Withdraw" || !isAddressEqual(address, vault.entryPoint)) continue;
    if (queue === null || !isAddressEqual(args.owner, queue) || !isAddressEqual(args.receiver, user))
      continue;
    [assets, shares, queue] = [assets + args.assets, shares + args.shares, null];
  }
  return shares === 0n ? null : { outcome: "paid", assets, shares };
}

/** Returns what the user's own redemption of processed shares paid. It names no request. */
function redeemedByUser(
  vault: Vault,
  { user, requestId, logs }: SeenLogs & { requestId: string },
): ExitSettlement | null {
  const paid = eventsIn(logs).flatMap(({ address, eventName, args }) =>
    eventName === "Withdraw" && isAddressEqual(address, vault.entryPoint) && isAddressEqual(args.owner, user)
      ? [args]
      : [],
  );
  if (paid.length === 0) return null;
  const assets = paid.reduce((sum, one) => sum + one.assets, 0n);
  const shares = paid.reduce((sum, one) => sum + one.shares, 0n);
  const unnamed = isMapleRequestId(requestId) ? ({ unnamed: true } as const) : {};
  const settlement = { outcome: "paid", assets, shares, ...unnamed } as const;
  return claimFor(vault, { settlement, user, logs, receivers: paid.map(({ receiver }) => receiver) });
}

/** Returns the cancellation of a request, or of a part of it: `SharesRemoved` of the pool, or what its queue shows. */
function returnedShares(vault: Vault, of: EndLogs): ExitSettlement | null {
  if (isMapleRequestId(of.requestId)) return removedFromQueue(vault, of);
  for (const { address, eventName, args } of eventsIn(of.logs)) {
    if (eventName !== "SharesRemoved" || !isAddressEqual(address, vault.entryPoint)) continue;
    if (isAddressEqual(args.owner, of.user)) return { outcome: "cancelled", assets: 0n, shares: args.shares };
  }
  return null;
}

/**
 * Returns true if a receipt's logs show that a pool's current queue took a request, or a part of it, back for its user
 * by the request's id: its events name nobody, but it sent shares to the user. Pure.
 */
export function isTakenFromQueue(vault: Vault, { user, logs }: SeenLogs): boolean {
  const queue = addressParam(vault, "withdrawal_manager");
  const events = eventsIn(logs).filter(({ address }) => sameAddress(address, queue ?? ""));
  // A processed request leaves the queue with the same events.
  if (queue === null || events.some(({ eventName }) => eventName === "RequestProcessed")) return false;
  const left = events.some(
    ({ eventName }) => eventName === "RequestRemoved" || eventName === "RequestDecreased",
  );
  return left && paidTo(logs, { token: vault.shareToken, receiver: user, sender: queue }).length > 0;
}

/**
 * Returns what a queue removed from a request unprocessed, if it sent shares to the user. It is the queue that took the
 * shares, or the pool's current one.
 */
function removedFromQueue(
  vault: Vault,
  { user, requestId, logs, requestLogs }: EndLogs,
): ExitSettlement | null {
  let [removed, shares] = [false, 0n];
  for (const { address, eventName, args } of eventsIn(logs)) {
    if (!("requestId" in args) || args.requestId.toString() !== requestId) continue;
    // A processed request leaves the queue with the same events.
    if (eventName === "RequestProcessed") return null;
    // Any contract can emit these events and send a unit of shares.
    const current = sameAddress(address, addressParam(vault, "withdrawal_manager") ?? "");
    if (!current && !isAmongPayees(vault, { logs: requestLogs, account: address })) continue;
    if (paidTo(logs, { token: vault.shareToken, receiver: user, sender: address }).length === 0) continue;
    if (eventName === "RequestRemoved") removed = true;
    if (eventName === "RequestDecreased") shares += args.shares;
  }
  if (removed) return { outcome: "cancelled", assets: 0n };
  return shares === 0n ? null : { outcome: "cancelled", assets: 0n, shares };
}
