import { type Address, parseAbi } from "viem";
import { createQuery, mapQuery, type Query, queryAll, read } from "../../../chains/chain-reads.ts";
import { MAX_UINT256 } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";

const requestsAbi = once(() =>
  parseAbi([
    "function pendingRedeemRequest(uint256 requestId, address controller) view returns (uint256)",
    "function claimableRedeemRequest(uint256 requestId, address controller) view returns (uint256)",
  ]),
);
/** Request id 0, for which a vault may return the total of a controller's requests, or its last request. */
export const ANY_REQUEST = 0n;

/** Shares of the requests with one id, in the share token's smallest unit, that wait and that can be claimed. */
interface RequestParts {
  waiting: bigint;
  ready: bigint;
}

/** The parts of a user's requests by request id, without ids whose parts are both 0. */
export type PartsById = readonly (readonly [id: string, parts: RequestParts])[];

const isNumber = (id: string): boolean => /^[1-9][0-9]{0,77}$/.test(id) && BigInt(id) <= MAX_UINT256;

const on = (vault: Vault) => ({ to: vault.entryPoint, abi: requestsAbi() }) as const;

const requestReads = (vault: Vault, of: { user: Address; id: bigint }) => ({
  pending: read({ ...on(vault), name: "pendingRedeemRequest", args: [of.id, of.user] }),
  claimable: read({ ...on(vault), name: "claimableRedeemRequest", args: [of.id, of.user] }),
});

/**
 * Creates the reads of the shares of a user's requests under the id 0: those that wait and those that can be claimed.
 */
export const openShares = (vault: Vault, user: Address) =>
  Object.values(requestReads(vault, { user, id: ANY_REQUEST }));

/**
 * Returns the query for the parts of a user's requests under the id 0 and under each of the numbers among `requestIds`,
 * without empty ones. A share is counted under one id. Null if a part could not be read.
 */
export function requestParts(
  vault: Vault,
  { user, requestIds }: { user: Address; requestIds: readonly string[] },
): Query<PartsById | null> {
  const each = [...new Set([ANY_REQUEST.toString(), ...requestIds.filter(isNumber)])].map(
    (id) => [id, partsQuery(vault, { user, id })] as const,
  );
  return mapQuery(queryAll(Object.fromEntries(each)), (found) => countedOnce(Object.entries(found)));
}

function partsQuery(vault: Vault, { user, id }: { user: Address; id: string }): Query<RequestParts | null> {
  return createQuery(requestReads(vault, { user, id: BigInt(id) }), ({ pending, claimable }) =>
    pending.ok && claimable.ok ? { waiting: pending.value, ready: claimable.value } : null,
  );
}

/** Adds up a part of requests, in the share token's smallest unit. */
export const sumOfParts = (parts: PartsById, kind: keyof RequestParts): bigint =>
  parts.reduce((sum, [, one]) => sum + one[kind], 0n);

/**
 * Takes numbered requests out of the total for the id 0, and leaves out what is empty. If they exceed that total, the
 * vault returns it for every id, and it counts once, under the newest. Null if a part could not be read.
 */
function countedOnce(each: readonly (readonly [id: string, RequestParts | null])[]): PartsById | null {
  const all = each.flatMap(([id, one]) => (one === null ? [] : [[id, one] as const]));
  if (all.length < each.length) return null;
  const total = all.find(([id]) => id === ANY_REQUEST.toString())?.[1] ?? { waiting: 0n, ready: 0n };
  const numbered = all
    .filter(([id, parts]) => id !== ANY_REQUEST.toString() && parts.waiting + parts.ready > 0n)
    .toSorted(([one], [other]) => (BigInt(one) > BigInt(other) ? -1 : 1));
  const [waiting, ready] = [sumOfParts(numbered, "waiting"), sumOfParts(numbered, "ready")];
  const sum = total.waiting + total.ready;
  if (sum > 0n && waiting + ready > sum) return numbered.slice(0, 1).map(([id]) => [id, total]);
  const rest = { waiting: above(total.waiting, waiting), ready: above(total.ready, ready) };
  const unnumbered = rest.waiting + rest.ready > 0n ? [[ANY_REQUEST.toString(), rest] as const] : [];
  return [...numbered, ...unnumbered];
}

const above = (total: bigint, known: bigint): bigint => (total > known ? total - known : 0n);
