import {
  type Address,
  encodeFunctionData,
  isAddressEqual,
  type Log,
  parseAbi,
  parseEventLogs,
  toFunctionSelector,
  zeroAddress,
} from "viem";
import { listMembersRead } from "../../../chains/aggregator/list-search.ts";
import {
  createQuery,
  mapQuery,
  type Query,
  queryAll,
  read,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { sameAddress } from "../../../lib/address.ts";
import { MAX_UINT256, mulDivDown, smaller } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import {
  type ExitCall,
  type ExitFollowUp,
  type ExitInput,
  type ExitRequestSeen,
  type ExitSettlement,
  type ExitTerms,
  type ExitTermsInput,
  type PendingExit,
  unknownPendingExit,
} from "../../vault-exits.ts";
import { addressParam } from "../../vault-params.ts";
import { findDelayedRequest, findDelayedSettlement, rateAbi, vedaValue } from "./veda-delayed-withdraw.ts";
import { oneShare } from "./veda-pricing.ts";
import {
  hashRequest,
  type QueueRequest,
  queueOfRequest,
  queueRequestId,
  queuesOf,
  unpackRequest,
} from "./veda-queue-requests.ts";

/** ABI of Veda's queue of withdrawal requests. Source: Veda-Labs/boring-vault, BoringOnChainQueue. */
export const vedaQueueAbi = once(() =>
  parseAbi([
    "struct OnChainWithdraw { uint96 nonce; address user; address assetOut; uint128 amountOfShares; uint128 amountOfAssets; uint40 creationTime; uint24 secondsToMaturity; uint24 secondsToDeadline; }",
    "function isPaused() view returns (bool)",
    "function withdrawAssets(address) view returns (bool allowWithdraws, uint24 secondsToMaturity, uint24 minimumSecondsToDeadline, uint16 minDiscount, uint16 maxDiscount, uint96 minimumShares)",
    "function previewAssetsOut(address assetOut, uint128 amountOfShares, uint16 discount) view returns (uint128 amountOfAssets)",
    "function requestOnChainWithdraw(address assetOut, uint128 amountOfShares, uint16 discount, uint24 secondsToDeadline) returns (bytes32 requestId)",
    "function cancelOnChainWithdraw(OnChainWithdraw request) returns (bytes32 requestId)",
    "event OnChainWithdrawRequested(bytes32 indexed requestId, address indexed user, address indexed assetOut, uint96 nonce, uint128 amountOfShares, uint128 amountOfAssets, uint40 creationTime, uint24 secondsToMaturity, uint24 secondsToDeadline)",
    "event OnChainWithdrawCancelled(bytes32 indexed requestId, address indexed user, uint256 timestamp)",
    "event OnChainWithdrawSolved(bytes32 indexed requestId, address indexed user, uint256 timestamp)",
  ]),
);
/** ABI of `withdrawAssets` in later versions of the queue, which also return a capacity. */
const capacityAbi = once(() =>
  parseAbi([
    "function withdrawAssets(address) view returns (bool, uint24, uint24, uint16, uint16, uint96, uint256 withdrawCapacity)",
  ]),
);
/** Byte offset of the shares in the calldata of `requestOnChainWithdraw`. */
const SHARES_OFFSET = 36;
/** Seconds for which a request stays open for solvers after its maturity, unless the queue requires more. */
const SECONDS_TO_DEADLINE = 7 * 86_400;
const BPS = 10_000n;
/**
 * Returns a query for the conditions of a request to the queue, with the smallest discount that the queue allows. It
 * reduces the rate, which is rounded down before it values the shares; the payment is null if the discount or the rate
 * is unknown, or if the discount is above 100%. `variant` is `<discount>/<seconds from maturity to the deadline>`.
 */
export function queueTerms(vault: Vault, request: ExitTermsInput): Query<Partial<ExitTerms>> {
  const on = { to: addressParam(vault, "withdraw_queue") ?? zeroAddress, abi: vedaQueueAbi() } as const;
  const args = [request.token.address] as const;
  return createQuery(
    {
      paused: read({ ...on, name: "isPaused" }),
      config: read({ ...on, name: "withdrawAssets", args }),
      limited: read({ ...on, abi: capacityAbi(), name: "withdrawAssets", args }),
      rate: read({ to: vault.pricer, abi: rateAbi(), name: "getRateInQuoteSafe", args }),
    },
    ({ paused, config, limited, rate }) => {
      const [allowed, maturity, deadline, discount, , minimum] = valueOrNull(config) ?? [];
      const capacity = valueOrNull(limited)?.[6];
      const start = Math.floor(request.now / 1_000);
      const earliest = maturity === undefined ? null : start + maturity;
      const open = Math.max(deadline ?? 0, SECONDS_TO_DEADLINE);
      const kept = discount === undefined ? null : BPS - BigInt(discount);
      return {
        previewAssets:
          kept === null || kept < 0n || !rate.ok
            ? null
            : mulDivDown(request.shares, mulDivDown(rate.value, kept, BPS), oneShare(vault)),
        priced: "now",
        minShares: minimum ?? null,
        maxShares:
          capacity === undefined || capacity === MAX_UINT256 ? null : smaller(capacity, request.shares),
        earliest,
        expiresAt: earliest === null ? null : earliest + open,
        paused: valueOrNull(paused) === true,
        refusal: allowed === false ? "token_unsupported" : null,
        variant: `${discount ?? 0}/${open}`,
      };
    },
  );
}

/**
 * Encodes the owner's request to the queue, which pulls the shares, so the owner must approve them first.
 * `request.variant` is that of `queueTerms`; without it, the discount is 0 and the deadline 7 days after maturity.
 */
export function queueCall(vault: Vault, request: ExitInput): ExitCall {
  const target = addressParam(vault, "withdraw_queue") ?? zeroAddress;
  const [discount = 0, open = SECONDS_TO_DEADLINE] = (request.variant ?? "")
    .split("/")
    .filter(Boolean)
    .map(Number);
  const args = [request.token.address, request.shares, discount, open] as const;
  return {
    ...{ target, spender: target, sharesOffset: SHARES_OFFSET, sharesScale: 1n, selfOffsets: [] },
    data: encodeFunctionData({ abi: vedaQueueAbi(), functionName: "requestOnChainWithdraw", args }),
    ...{ paysTo: "caller", minAssets: "none", tokenOut: request.token.address, async: true },
  };
}

/**
 * Returns a query for those of the known requests (`requestIds`, see `queueRequestId`) that are still in their queue;
 * null if one of the queues cannot be read. Their payment is fixed.
 */
export function pendingInQueue(
  vault: Vault,
  of: { user: Address; requestIds: readonly string[]; now: number },
): Query<readonly PendingExit[] | null> {
  const known = [...new Set(of.requestIds)].flatMap((id) => {
    const [request, queue] = [unpackRequest(id, of.user), queueOfRequest(vault, id)];
    return request === null || queue === null ? [] : [{ id, request, queue }];
  });
  if (known.length === 0) return createQuery({}, () => []);
  const tokens = known.map(({ request }) => request.assetOut.toLowerCase() as Address);
  const rateIn = (token: Address) =>
    read({ to: vault.pricer, abi: rateAbi(), name: "getRateInQuoteSafe", args: [token] });
  const rates = Object.fromEntries(tokens.map((token) => [token, rateIn(token)]));
  const queues = [...new Set(known.map(({ queue }) => queue))];
  const query = queryAll({
    open: queryAll(Object.fromEntries(queues.map((to) => [to, openIn(to, known)]))),
    assetRate: createQuery({ rate: rateIn(vault.asset.address) }, ({ rate }) => valueOrNull(rate)),
    rates: createQuery(rates, (all) => all),
  });
  return mapQuery(query, ({ open, assetRate, rates: all }) => {
    const lists = Object.values(open);
    if (lists.includes(null)) return null;
    return lists
      .flatMap((requests) => requests ?? [])
      .map(({ id, request }) => {
        const rate = all[request.assetOut.toLowerCase()];
        const prices = { rate: rate === undefined ? null : valueOrNull(rate), assetRate };
        const value = vedaValue(request.amountOfAssets, prices);
        return { ...pendingOf(id, { request, now: of.now }), value };
      });
  });
}

/** A request with its id, and the queue that it was made at. */
interface KnownRequest {
  id: string;
  request: QueueRequest;
  queue: Address;
}

/** Returns a query for those of the requests that are still in a queue; null if it cannot be read. */
function openIn(to: Address, known: readonly KnownRequest[]): Query<readonly KnownRequest[] | null> {
  const own = known.filter(({ queue }) => queue === to);
  // The list has the open requests of all users, however many there are.
  const view = { to, selector: toFunctionSelector("getRequestIds()") };
  const reads = {
    open: listMembersRead(
      view,
      own.map(({ request }) => hashRequest(request)),
    ),
  };
  return createQuery(
    reads,
    ({ open }) => valueOrNull(open)?.flatMap((is, at) => (is ? (own[at] ?? []) : [])) ?? null,
  );
}

function pendingOf(requestId: string, { request, now }: { request: QueueRequest; now: number }): PendingExit {
  const earliest = request.creationTime + request.secondsToMaturity;
  const expiresAt = earliest + request.secondsToDeadline;
  return {
    ...unknownPendingExit,
    ...{ requestId, shares: request.amountOfShares, assets: request.amountOfAssets, priced: true },
    ...{ token: request.assetOut, state: now > expiresAt * 1_000 ? "expired" : "pending" },
    ...{ claimableAssets: 0n, claimableShares: 0n, since: request.creationTime, earliest, expiresAt },
    ...{ cancellable: true, bookedOut: true, bookedAt: request.creationTime },
  };
}

/**
 * Encodes the cancellation of a request in its queue, which returns the shares. Null if the registry entry does not name
 * this queue or the request's id is not that of a queue request (see `queueRequestId`).
 */
export function queueCancellation(
  vault: Vault,
  { user, request }: { user: Address; request: PendingExit },
): ExitFollowUp | null {
  const target = queueOfRequest(vault, request.requestId);
  const fields = unpackRequest(request.requestId, user);
  if (target === null || fields === null) return null;
  const data = encodeFunctionData({
    abi: vedaQueueAbi(),
    functionName: "cancelOnChainWithdraw",
    args: [fields],
  });
  return { target, data };
}

const logsAt = (contracts: readonly Address[], logs: readonly Log[]): Log[] =>
  logs.filter(({ address }) => contracts.some((one) => sameAddress(one, address)));

/**
 * Finds the user's request in a receipt's logs: one in a queue, otherwise one at the delayed-withdrawal contract.
 * Null if there is none.
 */
export function findQueueRequest(
  vault: Vault,
  { user, logs }: { user: Address; logs: readonly Log[] },
): ExitRequestSeen | null {
  const own = logsAt(queuesOf(vault), logs);
  const found = parseEventLogs({
    abi: vedaQueueAbi(),
    eventName: "OnChainWithdrawRequested",
    logs: own,
  }).find(({ args }) => isAddressEqual(args.user, user));
  if (found !== undefined) {
    const { amountOfShares: shares, amountOfAssets: assets, assetOut: token } = found.args;
    const requestId = queueRequestId(vault, { queue: found.address, request: found.args });
    return { requestId, shares, assets, mode: "request", token };
  }
  return findDelayedRequest(vault, { user, logs });
}

/**
 * Finds in a receipt's logs how a user's request ended: solved or cancelled in its queue, or completed or cancelled in
 * the delayed-withdrawal contract. Null if the logs do not show its end. One that its owner replaced is cancelled, with
 * its successor.
 */
export function findQueueSettlement(
  vault: Vault,
  { user, requestId, logs }: { user: Address; requestId: string; logs: readonly Log[] },
): ExitSettlement | null {
  const request = unpackRequest(requestId, user);
  if (request === null) return findDelayedSettlement(vault, { user, requestId, logs });
  const [hash, queue] = [hashRequest(request), queueOfRequest(vault, requestId)];
  const own = logsAt(queue === null ? [] : [queue], logs);
  for (const { eventName, args } of parseEventLogs({ abi: vedaQueueAbi(), logs: own })) {
    if (args.requestId !== hash) continue;
    if (eventName === "OnChainWithdrawSolved")
      return { outcome: "paid", assets: request.amountOfAssets, alone: true };
    if (eventName !== "OnChainWithdrawCancelled") continue;
    const successor = successorOf(vault, { user, request, queue, logs });
    return { outcome: "cancelled", assets: 0n, ...(successor !== null && { successor }) };
  }
  return null;
}

/** Returns true if a receipt's logs show that a request of the user in the vault's queues was cancelled. */
export const cancelsInQueue = (
  vault: Vault,
  { user, logs }: { user: Address; logs: readonly Log[] },
): boolean =>
  parseEventLogs({
    abi: vedaQueueAbi(),
    eventName: "OnChainWithdrawCancelled",
    logs: logsAt(queuesOf(vault), logs),
  }).some(({ args }) => isAddressEqual(args.user, user));

/**
 * Returns the id of the request that replaced a cancelled one, or null. The queue then keeps the shares, so that the new
 * request's event follows at once; a plain cancellation returns them, and another request must transfer them again.
 */
function successorOf(
  vault: Vault,
  of: { user: Address; request: QueueRequest; queue: Address | null; logs: readonly Log[] },
): string | null {
  const { user, request, queue, logs } = of;
  const hash = hashRequest(request);
  const cancelled = logs.findIndex(
    ({ address, topics }) => sameAddress(address, queue ?? "") && topics[1] === hash,
  );
  const next = findQueueRequest(vault, { user, logs: logs.slice(cancelled + 1, cancelled + 2) });
  return next?.mode === "request" && next.shares === request.amountOfShares ? next.requestId : null;
}
