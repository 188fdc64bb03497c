import { type Address, encodeFunctionData, parseAbi } from "viem";
import {
  andThen,
  createQuery,
  mapQuery,
  type Query,
  queryAll,
  read,
  readThen,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { sameAddress } from "../../../lib/address.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import { type ExitFollowUp, type PendingExit, unknownPendingExit } from "../../vault-exits.ts";
import { netAssetsOf, type RequestFlow } from "../../vault-request-flow.ts";
import { lrtContracts } from "./mellow-lrt-contracts.ts";
import { MAX_TRANSFERRED, transferredAssets } from "./mellow-lrt-transfers.ts";
import { queuesParam } from "./mellow-redeem-queues.ts";

/** ABI of the withdrawal queues. Only Symbiotic's have epochs, and only EigenLayer's this `getAccountData`. */
const queueAbi = once(() =>
  parseAbi([
    "function pendingAssetsOf(address account) view returns (uint256)",
    "function claimableAssetsOf(address account) view returns (uint256)",
    "function getCurrentEpoch() view returns (uint256)",
    "function getAccountData(address account, uint256 limit, uint256 offset, uint256 transferredLimit, uint256 transferredOffset) view returns (uint256 claimable, uint256[] withdrawals, uint256[] transferred)",
    "function claim(address account, address recipient, uint256 maxAmount) returns (uint256)",
  ]),
);
/**
 * An account's assets in one queue. `offered` is what others transferred to it or requested for it, without its having
 * accepted that; null if unknown.
 */
interface Held {
  queue: Address;
  pending: bigint;
  claimable: bigint;
  offered: bigint | null;
}

/** The queued assets of a user at all queues as one request. `queue` is the one that pays `claimableAssets`. */
interface LrtRequest extends PendingExit {
  queue?: Address;
}

/** Returns a query for an account's assets in some queues; null for a queue whose views do not show them all. */
function heldIn(queues: readonly Address[], account: Address): Query<(Held | null)[]> {
  const each = queues.map((queue) => {
    const on = { to: queue, abi: queueAbi() } as const;
    const reads = {
      pending: read({ ...on, name: "pendingAssetsOf", args: [account] }),
      claimable: read({ ...on, name: "claimableAssetsOf", args: [account] }),
      epoch: read({ ...on, name: "getCurrentEpoch" }),
      // One more than are read shows that there are too many.
      transfers: read({ ...on, name: "getAccountData", args: [account, 0n, 0n, MAX_TRANSFERRED + 1n, 0n] }),
    };
    const held = readThen(reads, ({ pending, claimable, epoch, transfers }): Query<Held | null> => {
      if (!pending.ok || !claimable.ok || !(epoch.ok || transfers.ok)) return createQuery({}, () => null);
      const ids = epoch.ok ? [] : (valueOrNull(transfers)?.[2] ?? []);
      const known = { queue, pending: pending.value, claimable: claimable.value };
      return mapQuery(transferredAssets(queue, { account, ids }), (offered) => ({ ...known, offered }));
    });
    return [queue, held] as const;
  });
  return mapQuery(queryAll(Object.fromEntries(each)), Object.values<Held | null>);
}

/**
 * Returns a query for a user's assets in the vault's queues, those of its registry entry included, which it may no
 * longer use; null if one of them cannot be read.
 */
export function lrtRequests(vault: Vault, { user }: { user: Address }): Query<readonly LrtRequest[] | null> {
  const stored = queuesParam(vault, "withdrawal_queues");
  const known = queryAll({ contracts: lrtContracts(vault.entryPoint), first: heldIn(stored, user) });
  return andThen(known, ({ contracts, first }): Query<readonly LrtRequest[] | null> => {
    if (contracts === null) return createQuery({}, () => null);
    const added = contracts.queues.filter((queue) => !stored.some((one) => sameAddress(one, queue)));
    return mapQuery(heldIn(added, user), (more) => requestOf(vault, [...first, ...more]));
  });
}

function requestOf(vault: Vault, read: readonly (Held | null)[]): LrtRequest[] | null {
  const all = read.flatMap((held) => held ?? []);
  if (all.length < read.length) return null;
  const claimable = all.reduce((sum, held) => sum + held.claimable, 0n);
  // What the user has not accepted cannot be claimed yet.
  const pending = all.reduce<bigint | null>(
    (sum, held) => (sum === null || held.offered === null ? null : sum + held.pending + held.offered),
    0n,
  );
  if (pending !== null && pending + claimable === 0n) return [];
  const ready = all.reduce((most, held) => (held.claimable > most.claimable ? held : most));
  return [
    {
      ...{ ...unknownPendingExit, token: vault.asset.address, bookedOut: true },
      // Assets that are still pending may be slashed.
      ...{ assets: pending === null ? null : pending + claimable, priced: pending === 0n },
      ...{ state: claimable > 0n ? "claimable" : "pending" },
      ...{ claimableAssets: ready.claimable, queue: ready.queue },
    },
  ];
}

/**
 * Returns a query for what a user's flows at the queues have put back into the vault, less what has become of it: the
 * part of the queued assets that was neither claimed nor is open, which a slashing took. It is never positive; null if
 * an amount is unknown.
 */
export function lrtTakenOut(
  vault: Vault,
  { user, flows }: { user: Address; flows: readonly RequestFlow[] },
): Query<bigint | null> {
  const left = netAssetsOf(flows);
  return mapQuery(lrtRequests(vault, { user }), (requests) => {
    const [open = { assets: 0n }] = requests ?? [{ assets: null }];
    if (left === null || open.assets === null) return null;
    // What others have transferred to the user is open too.
    return left > open.assets ? open.assets - left : 0n;
  });
}

/** Returns 0: the event of a redemption, which names no request, takes its shares. */
export const lrtTakenShares = (): bigint => 0n;

/** Encodes the claim at the queue that pays a request's claimable assets, or returns null if nothing is claimable. */
export function lrtClaim(
  _vault: Vault,
  { user, request }: { user: Address; request: LrtRequest },
): ExitFollowUp | null {
  const { queue, claimableAssets: amount } = request;
  if (queue === undefined || amount === null || amount === 0n) return null;
  const args = [user, user, amount] as const;
  return { target: queue, data: encodeFunctionData({ abi: queueAbi(), functionName: "claim", args }) };
}
