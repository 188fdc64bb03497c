import { type Address, parseAbi } from "viem";
import {
  createQuery,
  mapQuery,
  type Query,
  queryAll,
  read,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type { PendingDeposit } from "../../vault-adapter.ts";
import { isSyncQueue } from "./mellow-pricing.ts";
import { queuesParam } from "./mellow-redeem-queues.ts";

type Booked = NonNullable<PendingDeposit["booked"]>;

const queueAbi = once(() =>
  parseAbi([
    "function requestOf(address) view returns (uint256 timestamp, uint256 assets)",
    "function syncDepositParams() view returns (uint256 penaltyD6, uint32 maxAge)",
  ]),
);

/**
 * Returns a query for a user's deposits that the indexed flows count although their shares are not claimed yet (see
 * `PendingDeposit.booked`), at all deposit queues of the registry entry. The amount is null if one queue cannot be read,
 * or if a request is in another token: the flows count its value at its time, which is not read.
 */
export function mellowBooked(vault: Vault, user: Address): Query<Booked> {
  const others = queuesParam(vault, "other_deposit_queues");
  const entry = isSyncQueue(vault) ? [] : [vault.entryPoint];
  const own = [...entry, ...queuesParam(vault, "deposit_queues")];
  const each = [
    ...own.map((queue) => [queue.toLowerCase(), bookedAt(queue, user)] as const),
    ...others.map((queue) => [queue.toLowerCase(), mapQuery(bookedAt(queue, user), inOtherToken)] as const),
  ];
  return mapQuery(queryAll(Object.fromEntries(each)), (seen) =>
    Object.values<Booked>(seen).reduce(
      (sum, { assets, at }) => ({
        assets: sum.assets === null || assets === null ? null : sum.assets + assets,
        at: Math.max(sum.at, at),
      }),
      { assets: 0n, at: 0 },
    ),
  );
}

const inOtherToken = ({ assets, at }: Booked): Booked => ({ assets: assets === 0n ? 0n : null, at });

/** Returns a query for the request at one queue, in its token. A queue that mints immediately has none. */
function bookedAt(queue: Address, user: Address): Query<Booked> {
  const on = { to: queue, abi: queueAbi() } as const;
  const reads = {
    request: read({ ...on, name: "requestOf", args: [user] }),
    sync: read({ ...on, name: "syncDepositParams" }),
  };
  return createQuery(reads, ({ request, sync }) => {
    const [at, assets] = valueOrNull(request) ?? [0n, sync.ok ? 0n : null];
    return { assets, at: Number(at) };
  });
}
