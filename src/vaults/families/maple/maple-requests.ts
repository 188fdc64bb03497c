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
 * ABI of the withdrawal managers. `exitCycleId` is only in the cyclical one, `requestIds` only in the queue,
 * `requests(uint128)` only in its version 1, and `requestsByOwner` only in its version 2.
 */
const managerAbi = once(() =>
  parseAbi([
    "function lockedShares(address owner) view returns (uint256)",
    "function exitCycleId(address owner) view returns (uint256)",
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

/** Shares of a user in a pool's withdrawal manager, in the share token's smallest unit. */
interface HeldShares {
  type: "cycles" | "queue";
  /** Shares of the request to the cyclical manager. In a queue: processed shares that the user redeems. */
  locked: bigint;
  /** Requests in the queue, from the oldest on. */
  waiting: readonly { id: string; shares: bigint }[];
}

interface Asked {
  user: Address;
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
export function mapleRequests(vault: Vault, of: Asked): Query<readonly PendingExit[] | null> {
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
  return readThen(holdingReads(manager, user), (results): Query<HeldShares | null> => {
    const found = foundHoldings(results);
    const newest = valueOrNull(results.newest);
    if (found !== "one request") return known(found);
    if (newest === null || newest >= 2n ** 128n) return known(null);
    const request = read({ to: manager, abi: managerAbi(), name: "requests", args: [newest] });
    return createQuery({ request }, (second): HeldShares | null => {
      if (!second.request.ok || !results.locked.ok) return null;
      const [owner, shares] = second.request.value;
      if (!isAddressEqual(owner, user)) return null;
      const waiting = [{ id: newest.toString(), shares }];
      return { type: "queue", locked: results.locked.value, waiting };
    });
  });
}

/** Returns what the first batch shows: `one request` if the user has one in a queue of version 1. Null if unread. */
function foundHoldings({
  locked,
  cycle,
  newest,
  all,
}: ReadResults<ReturnType<typeof holdingReads>>): HeldShares | "one request" | null {
  if (!locked.ok) return null;
  const held = { locked: locked.value, waiting: [] };
  if (!newest.ok) return cycle.ok ? { type: "cycles", ...held } : null;
  if (!all.ok) return newest.value === 0n ? { type: "queue", ...held } : "one request";
  const [ids, shares] = all.value;
  if (ids.length !== shares.length) return null;
  const waiting = ids.map((id, index) => ({ id: id.toString(), shares: shares[index] ?? 0n }));
  return { type: "queue", ...held, waiting };
}

/** Converts a user's shares in the withdrawal manager to open requests. */
function pendingOf(vault: Vault, of: Asked & { held: HeldShares; pool: PoolReads }): PendingExit[] {
  const { type, locked, waiting } = of.held;
  const cyclical = type === "cycles";
  const processed = valueOrNull(of.pool.ready);
  // A queue's pool pays all of the shares or none.
  const ready = cyclical || processed === null ? processed : smaller(processed, payableShares(of.pool));
  const worth = (shares: bigint) => worthOf(of.pool, shares);
  const common = { ...unknownPendingExit, token: vault.asset.address };
  const queued = waiting.map(({ id, shares }, index): PendingExit => {
    // `removeShares` names no request: it takes from the newest one.
    const own = { requestId: id, shares, assets: worth(shares), cancellable: index === waiting.length - 1 };
    return { ...common, ...own, claimableAssets: 0n, claimableShares: 0n };
  });
  if (locked === 0n) return queued;
  const kept: PendingExit = {
    ...{ ...common, requestId: cyclical ? "0" : processedId(of), shares: locked, assets: worth(locked) },
    ...{ cancellable: cyclical, state: (ready ?? 0n) > 0n ? "claimable" : "pending" },
    claimableAssets: ready === null ? null : worth(ready),
    claimableShares: ready,
  };
  return [...queued, kept];
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
