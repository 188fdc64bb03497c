import type { Address } from "viem";
import { createQuery, type Query } from "../../../chains/chain-reads.ts";
import type { Vault } from "../../vault.ts";
import type { RequestFlow } from "../../vault-request-flow.ts";
import { isAtomicRequest } from "./veda-atomic-queue.ts";
import { hashRequest, unpackRequest } from "./veda-queue-requests.ts";

/**
 * Returns a query without reads for the total assets of a user's requests in the queue that were not cancelled and of
 * the payments by AtomicQueues, in the asset's smallest unit; null if one is unknown. Other ids are ignored.
 */
export function takenByQueue(
  _vault: Vault,
  of: { user: Address; flows: readonly RequestFlow[] },
): Query<bigint | null> {
  return createQuery({}, () => sumOf(takenBy(of), ({ assets }) => assets));
}

/** Returns the total shares of these requests, open ones in the queue included, and payments; see `takenByQueue`. */
export const sharesTakenByQueue = (
  _vault: Vault,
  of: { user: Address; flows: readonly RequestFlow[] },
): bigint | null => sumOf(takenBy(of), ({ shares }) => shares);

type Taken = Pick<RequestFlow, "assets" | "shares">;

/** Returns a user's requests in the queue that were not cancelled, and the payments by AtomicQueues. */
function takenBy({ user, flows }: { user: Address; flows: readonly RequestFlow[] }): Taken[] {
  const back = new Set(flows.flatMap(({ kind, requestId }) => (kind === "deposit" ? requestId : [])));
  return flows.flatMap(({ kind, requestId, assets, shares }): Taken[] => {
    if (kind !== "withdrawal") return [];
    if (isAtomicRequest(requestId)) return [{ assets, shares }];
    const request = unpackRequest(requestId, user);
    return request === null || back.has(hashRequest(request))
      ? []
      : [{ assets, shares: request.amountOfShares }];
  });
}

const sumOf = (all: readonly Taken[], amountOf: (one: Taken) => bigint | null): bigint | null =>
  all.reduce<bigint | null>((sum, one) => {
    const amount = amountOf(one);
    return sum === null || amount === null ? null : sum + amount;
  }, 0n);
