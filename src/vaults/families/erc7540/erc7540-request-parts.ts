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

/** Request id that no vault gives: what a view returns for it, it returns for every id. */
const NO_REQUEST = MAX_UINT256;

/** Shares of the requests with one id, in the share token's smallest unit, that wait and that can be claimed. */
interface RequestParts {
  waiting: bigint;
  ready: bigint;
}

/** The parts of a user's requests by request id, without ids whose parts are both 0. */
export type PartsById = readonly (readonly [id: string, parts: RequestParts])[];

const isNumber = (id: string): boolean => /^[1-9][0-9]{0,77}$/.test(id) && BigInt(id) < NO_REQUEST;

const on = (vault: Vault) => ({ to: vault.entryPoint, abi: requestsAbi() }) as const;

const requestReads = (vault: Vault, of: { user: Address; id: bigint }) => ({
  pending: read({ ...on(vault), name: "pendingRedeemRequest", args: [of.id, of.user] }),
  claimable: read({ ...on(vault), name: "claimableRedeemRequest", args: [of.id, of.user] }),
});

/** Creates the reads of a user's requested shares under the id 0: those that wait and those that can be claimed. */
export const openShares = (vault: Vault, user: Address) =>
  Object.values(requestReads(vault, { user, id: ANY_REQUEST }));

/**
 * Returns the query for the parts of a user's requests under each positive integer among `requestIds`, largest first,
 * and under the id 0, without empty ones. A share counts under one id. Null if a part cannot be read, or if several ids
 * may name the same shares.
 */
export function requestParts(
  vault: Vault,
  { user, requestIds }: { user: Address; requestIds: readonly string[] },
): Query<PartsById | null> {
  const numbers = [...new Set(requestIds.filter(isNumber))];
  const query = (id: bigint) => partsQuery(vault, { user, id });
  const each = Object.fromEntries(numbers.map((id) => [id, query(BigInt(id))]));
  // A view that ignores the id can only be mistaken for one that does not if several ids are read.
  const elsewhere = numbers.length > 1 ? query(NO_REQUEST) : createQuery({}, () => null);
  return mapQuery(queryAll({ total: query(ANY_REQUEST), elsewhere, numbered: queryAll(each) }), countedOnce);
}

function partsQuery(vault: Vault, of: { user: Address; id: bigint }): Query<RequestParts | null> {
  return createQuery(requestReads(vault, of), ({ pending, claimable }) =>
    pending.ok && claimable.ok ? { waiting: pending.value, ready: claimable.value } : null,
  );
}

/** Returns the sum of one kind of part (`waiting` or `ready`) over all ids, in the share token's smallest unit. */
export const sumOfParts = (parts: PartsById, kind: keyof RequestParts): bigint =>
  parts.reduce((sum, [, one]) => sum + one[kind], 0n);

/**
 * Combines what a vault returns for the id 0 (`total`), for numbers, and for an id without a request (`elsewhere`), and
 * leaves out what is empty. Null if a part could not be read, or if several numbers may name the same shares.
 */
function countedOnce(found: {
  total: RequestParts | null;
  elsewhere: RequestParts | null;
  numbered: Readonly<Record<string, RequestParts | null>>;
}): PartsById | null {
  const { total, elsewhere } = found;
  const entries = Object.entries(found.numbered);
  const numbered = entries
    .flatMap(([id, one]) => (one === null ? [] : [[id, one] as const]))
    .toSorted(([one], [other]) => (BigInt(one) > BigInt(other) ? -1 : 1));
  if (total === null || numbered.length < entries.length) return null;
  const [waiting, ready] = (["waiting", "ready"] as const).map((kind) =>
    divide(
      numbered.map(([, parts]) => parts[kind]),
      { total: total[kind], elsewhere: elsewhere?.[kind] ?? null },
    ),
  );
  if (!waiting || !ready) return null;
  const ids = [...numbered.map(([id]) => id), ANY_REQUEST.toString()];
  return ids
    .map((id, index) => [id, { waiting: waiting[index] ?? 0n, ready: ready[index] ?? 0n }] as const)
    .filter(([, parts]) => parts.waiting + parts.ready > 0n);
}

/**
 * Returns the shares of each number, from the newest on, and last those that only the id 0 stands for: the rest of
 * the total, or a request without a known number. Null if a view that ignores the id may have returned them.
 */
function divide(
  numbered: readonly bigint[],
  { total, elsewhere }: { total: bigint; elsewhere: bigint | null },
): bigint[] | null {
  const sum = numbered.reduce((all, shares) => all + shares, 0n);
  if (sum <= total || total === 0n) return [...numbered, total > sum ? total - sum : 0n];
  // The view returns the total for every id, so it counts once.
  if (elsewhere === total) return [total, ...numbered.slice(1).map(() => 0n), 0n];
  if (elsewhere === null && numbered.every((shares) => shares === total)) return null;
  // Under the id 0, the vault returns one request, usually the last.
  return [...numbered, numbered.includes(total) ? 0n : total];
}
