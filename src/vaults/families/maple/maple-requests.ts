import { type Address, erc20Abi, isAddressEqual, parseAbi } from "viem";
import {
  andThen,
  createQuery,
  mapQuery,
  type Query,
  queryAll,
  type ReadResults,
  read,
  readThen,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { sameAddress } from "../../../lib/address.ts";
import { mulDivDown, smaller } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import { type PendingExit, unknownPendingExit } from "../../vault-exits.ts";
import { addressParam } from "../../vault-params.ts";

const poolAbi = once(() =>
  parseAbi([
    "function maxRedeem(address owner) view returns (uint256)",
    "function totalAssets() view returns (uint256)",
    "function unrealizedLosses() view returns (uint256)",
    "function totalSupply() view returns (uint256)",
    "function manager() view returns (address)",
    "function withdrawalManager() view returns (address)",
  ]),
);
/**
 * ABI of the withdrawal managers. `exitCycleId`, `getWindowAtId` and `getRedeemableAmounts` are only in the cyclical one,
 * `requestIds` and `manualSharesAvailable` only in the queue, whose version 3 has no `lockedShares`: in earlier ones,
 * both are the same. `requests(uint128)` is only in its version 1, and `requestsByOwner` only in later ones. Sources:
 * maple-labs/maple-js, withdrawal-manager-cyclical and withdrawal-manager-queue.
 */
const managerAbi = once(() =>
  parseAbi([
    "function lockedShares(address owner) view returns (uint256)",
    "function manualSharesAvailable(address owner) view returns (uint256)",
    "function exitCycleId(address owner) view returns (uint256)",
    "function getWindowAtId(uint256 cycleId) view returns (uint256 start, uint256 end)",
    "function getRedeemableAmounts(uint256 lockedShares, address owner) view returns (uint256 redeemable, uint256 assets, bool isPartial)",
    "function requestIds(address owner) view returns (uint256)",
    "function requests(uint128 requestId) view returns (address owner, uint256 shares)",
    "function requestsByOwner(address owner) view returns (uint256[] requestIds, uint256[] shares)",
  ]),
);

/**
 * Creates the read of an account's newest request id in a Maple queue. The cyclical withdrawal manager has no such
 * view.
 */
export const mapleQueueRead = (manager: Address, account: Address) =>
  read({ to: manager, abi: managerAbi(), name: "requestIds", args: [account] });

/** An open request in a Maple pool. `queue` takes it back by its id; absent if only the pool takes requests back. */
export interface MapleRequest extends PendingExit {
  queue?: Address;
}

/** Shares of a user in a pool's withdrawal manager, in the share token's smallest unit. */
interface HeldShares {
  type: "cycles" | "queue";
  /** Shares of the request to the cyclical manager. In a queue: processed shares that the user redeems. */
  locked: bigint;
  /** Requests in the queue, from the oldest on. */
  waiting: readonly { id: string; shares: bigint }[];
  /** The queue, if it takes back requests by their ids. */
  queue?: Address;
  /** Window of the request's cycle, in unix seconds: from the start, and before the end. Absent without a request. */
  window?: readonly [start: bigint, end: bigint];
  /** Shares of the request that the pool's liquidity pays for now, and their assets. Absent if unknown. */
  payable?: readonly [shares: bigint, assets: bigint, isPartial: boolean];
}

interface Asked {
  user: Address;
  /** Time of the block in unix milliseconds. */
  now: number;
  /** Ids of requests that are known from receipts. */
  requestIds: readonly string[];
}

function poolReads(vault: Vault, user: Address) {
  const on = { to: vault.entryPoint, abi: poolAbi() } as const;
  return {
    ready: read({ ...on, name: "maxRedeem", args: [user] }),
    total: read({ ...on, name: "totalAssets" }),
    losses: read({ ...on, name: "unrealizedLosses" }),
    supply: read({ ...on, name: "totalSupply" }),
    liquid: read({ to: vault.asset.address, abi: erc20Abi, name: "balanceOf", args: [vault.entryPoint] }),
  };
}

type PoolReads = ReadResults<ReturnType<typeof poolReads>>;

/**
 * Returns a query for a user's open requests in a Maple pool, whose withdrawal manager is cyclical or a queue; null if
 * they cannot be read. Assets are estimated like `convertToExitAssets`, rounded down, and null if unknown.
 */
export function mapleRequests(vault: Vault, of: Asked): Query<readonly MapleRequest[] | null> {
  const pool = createQuery(poolReads(vault, of.user), (results) => results);
  return mapQuery(queryAll({ pool, held: currentHoldings(vault, of.user) }), (seen) =>
    seen.held === null ? null : pendingOf(vault, { ...of, held: seen.held, pool: seen.pool }),
  );
}

const known = <T>(value: T): Query<T> => createQuery({}, () => value);

/**
 * Returns a query for the user's shares in the pool's current withdrawal manager. That of the registry entry is read
 * with the first batch, and another one follows if the pool manager now names it.
 */
function currentHoldings(vault: Vault, user: Address): Query<HeldShares | null> {
  const stored = addressParam(vault, "withdrawal_manager");
  const held = stored === null ? known(null) : holdings(stored, user);
  return andThen(queryAll({ current: currentManager(vault), held }), (seen) => {
    if (seen.current === null) return known(null);
    return sameAddress(seen.current, stored ?? "") ? known(seen.held) : holdings(seen.current, user);
  });
}

/** Returns a query for a pool's withdrawal manager, which upgrades may replace; null if it cannot be read. */
function currentManager(vault: Vault): Query<Address | null> {
  const stored = addressParam(vault, "pool_manager");
  const named = (to: Address) => read({ to, abi: poolAbi(), name: "withdrawalManager" });
  const reads = {
    manager: read({ to: vault.entryPoint, abi: poolAbi(), name: "manager" }),
    named: named(stored ?? vault.entryPoint),
  };
  return readThen(reads, (results): Query<Address | null> => {
    const manager = valueOrNull(results.manager);
    if (manager === null) return known(null);
    if (sameAddress(manager, stored ?? "")) return known(valueOrNull(results.named));
    return createQuery({ named: named(manager) }, (second) => valueOrNull(second.named));
  });
}

const holdingReads = (manager: Address, user: Address) => {
  const on = { to: manager, abi: managerAbi(), args: [user] } as const;
  return {
    locked: read({ ...on, name: "lockedShares" }),
    manual: read({ ...on, name: "manualSharesAvailable" }),
    cycle: read({ ...on, name: "exitCycleId" }),
    newest: mapleQueueRead(manager, user),
    all: read({ ...on, name: "requestsByOwner" }),
  };
};

/**
 * Returns a query for a user's shares in one withdrawal manager; null if they cannot be read, or if it is neither
 * cyclical nor a queue.
 */
function holdings(manager: Address, user: Address): Query<HeldShares | null> {
  return readThen(holdingReads(manager, user), ({ newest, all, ...results }): Query<HeldShares | null> => {
    const manual = newest.ok ? valueOrNull(results.manual) : null;
    const locked = valueOrNull(results.locked) ?? manual;
    if (locked === null) return known(null);
    if (!newest.ok) return inCycle(manager, { user, locked, cycle: valueOrNull(results.cycle) });
    const none: HeldShares = { type: "queue", locked, waiting: [] };
    if (all.ok) return known(withRequests({ ...none, queue: manager }, all.value));
    return newest.value === 0n ? known(none) : inQueue(manager, { none, user, id: newest.value });
  });
}

/** Returns a query for the shares of a request to a cyclical manager; null without its cycle or that one's window. */
function inCycle(
  manager: Address,
  { user, locked, cycle }: { user: Address; locked: bigint; cycle: bigint | null },
): Query<HeldShares | null> {
  if (cycle === null) return known(null);
  const held = { type: "cycles", locked, waiting: [] } as const;
  if (locked === 0n) return known(held);
  const on = { to: manager, abi: managerAbi() } as const;
  const reads = {
    window: read({ ...on, name: "getWindowAtId", args: [cycle] }),
    part: read({ ...on, name: "getRedeemableAmounts", args: [locked, user] }),
  };
  return createQuery(reads, ({ window, part }) =>
    window.ok ? { ...held, window: window.value, ...(part.ok && { payable: part.value }) } : null,
  );
}

/** Adds the requests of a queue of a later version than 1; null if its lists do not match. */
function withRequests(
  held: HeldShares,
  [ids, shares]: readonly [readonly bigint[], readonly bigint[]],
): HeldShares | null {
  if (ids.length !== shares.length) return null;
  return { ...held, waiting: ids.map((id, index) => ({ id: id.toString(), shares: shares[index] ?? 0n })) };
}

/** Returns a query that adds the only request of a user in a queue of version 1; null if it cannot be read. */
function inQueue(
  manager: Address,
  { none, user, id }: { none: HeldShares; user: Address; id: bigint },
): Query<HeldShares | null> {
  if (id >= 2n ** 128n) return known(null);
  const reads = { request: read({ to: manager, abi: managerAbi(), name: "requests", args: [id] }) };
  return createQuery(reads, ({ request }) => {
    if (!request.ok || !isAddressEqual(request.value[0], user)) return null;
    return { ...none, waiting: [{ id: id.toString(), shares: request.value[1] }] };
  });
}

/** Converts a user's shares in the withdrawal manager to open requests. */
function pendingOf(vault: Vault, of: Asked & { held: HeldShares; pool: PoolReads }): MapleRequest[] {
  const { type, locked, waiting, queue } = of.held;
  const cyclical = type === "cycles";
  const processed = valueOrNull(of.pool.ready);
  // A queue's pool pays all of the shares or none.
  const ready = cyclical || processed === null ? processed : smaller(processed, payableShares(of.pool));
  const worth = (shares: bigint) => worthOf(of.pool, shares);
  const common = { ...unknownPendingExit, token: vault.asset.address };
  const queued = waiting.map(
    ({ id, shares }): MapleRequest => ({
      ...{ ...common, requestId: id, shares, assets: worth(shares), cancellable: true },
      ...{ claimableAssets: 0n, claimableShares: 0n, ...(queue !== undefined && { queue }) },
    }),
  );
  if (locked === 0n) return queued;
  const kept: MapleRequest = {
    ...{ ...common, requestId: cyclical ? "0" : processedId(of), shares: locked, assets: worth(locked) },
    ...timesOf(of),
    ...((ready ?? 0n) > 0n && { state: "claimable" }),
    claimableAssets: ready === null ? null : worth(ready),
    claimableShares: ready,
    ...((ready ?? 0n) > 0n && partOf(of.held)),
  };
  return [...queued, kept];
}

type Claimable = Pick<PendingExit, "state" | "refusal" | "claimableAssets" | "claimableShares">;

/**
 * Returns what can be claimed from a cyclical manager in a window in which the pool cannot pay all: each request has its
 * part of the liquidity. Empty if it pays all, or if that is unknown.
 */
function partOf({ locked, payable }: HeldShares): Partial<Claimable> {
  const [shares, assets] = payable ?? [locked, 0n];
  if (shares >= locked) return {};
  const part = { claimableShares: shares, claimableAssets: assets };
  return shares > 0n ? part : { ...part, state: "pending", refusal: "no_liquidity" };
}

type Times = Pick<PendingExit, "state" | "cancellable" | "cancellableAt" | "earliest" | "expiresAt">;

/**
 * Returns when the request to a cyclical manager is paid, and what the time allows: only from the window's start can it
 * be taken back, and after its end it is no longer paid. Processed shares of a queue have no window.
 */
function timesOf({ now, held: { window } }: Asked & { held: HeldShares }): Times {
  if (window === undefined) return { state: "pending", cancellable: false, earliest: null, expiresAt: null };
  const [earliest, expiresAt] = [Number(window[0]), Number(window[1])];
  const state = now < expiresAt * 1_000 ? "pending" : "expired";
  return { state, cancellable: now >= earliest * 1_000, cancellableAt: earliest, earliest, expiresAt };
}

/** Returns the number of shares that the pool's assets pay, rounded down, or null if unknown or unlimited. */
function payableShares(pool: PoolReads): bigint | null {
  const [total, losses] = [valueOrNull(pool.total), valueOrNull(pool.losses)];
  const [supply, liquid] = [valueOrNull(pool.supply), valueOrNull(pool.liquid)];
  if (total === null || losses === null || supply === null || liquid === null) return null;
  return total > losses ? mulDivDown(liquid, supply, total - losses) : null;
}

/** Returns the value of shares after unrealised losses, rounded down, or null if unknown. */
function worthOf(pool: PoolReads, shares: bigint): bigint | null {
  if (shares === 0n) return 0n;
  const [total, losses] = [valueOrNull(pool.total), valueOrNull(pool.losses)];
  const supply = valueOrNull(pool.supply) ?? 0n;
  return total === null || losses === null || supply === 0n
    ? null
    : mulDivDown(shares, total - losses, supply);
}

/**
 * Returns the id for the processed shares that the user redeems, which the queue does not number: the only known
 * request that has left the queue, otherwise `0`.
 */
function processedId({ requestIds, held }: Asked & { held: HeldShares }): string {
  const left = new Set(requestIds.filter(isMapleRequestId));
  for (const { id } of held.waiting) left.delete(id);
  const [only = "0"] = left;
  return left.size === 1 ? only : "0";
}

/**
 * Returns true for an id that a queue may have assigned. The id `0` stands for a request to a cyclical withdrawal
 * manager, or for processed shares of an unknown request.
 */
export const isMapleRequestId = (id: string): boolean => /^[1-9][0-9]{0,77}$/.test(id);
