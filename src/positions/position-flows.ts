import type { Address } from "viem";
import { createQuery, type Query } from "../chains/chain-reads.ts";
import type { Context } from "../context.ts";
import {
  type ChainFlows,
  type OpenRequest,
  selectUserFlows,
  type UserRequestFlow,
} from "../db/queries/user-flow-queries.ts";
import { failure } from "../errors.ts";
import { sameAddress } from "../lib/address.ts";
import { depositRequestOf, receivedRequestOf } from "../lib/deposit-request-id.ts";
import { describeError } from "../lib/logger.ts";
import { withDeadline } from "../lib/timers.ts";
import { adapterOf } from "../vaults/families/vault-families.ts";
import type { Vault } from "../vaults/vault.ts";

/**
 * Timeout for the database query, in milliseconds. Positions are read from the chains and must not wait longer for the
 * database.
 */
const STORE_DEADLINE_MS = 2_000;

/** Waits for a database query. Throws `store_unavailable` if it takes longer than two seconds. */
function withStoreDeadline<T>(work: Promise<T>): Promise<T> {
  const late = () => failure("store_unavailable", "the database took too long");
  return withDeadline(work, { ms: STORE_DEADLINE_MS, late });
}

/**
 * Maximum time by which the flow index may lag behind the balance, in milliseconds. With a longer lag, a deposit or
 * withdrawal that is not yet indexed would look like a gain or loss.
 */
const MAX_LAG_MS = 5 * 60_000;

/** A user's indexed deposits and withdrawals by chain id, and the user's open deposit and redemption requests. */
export interface StoredFlows {
  flows: ReadonlyMap<number, ChainFlows>;
  /**
   * Requests with a known id: those that this service tracks, and others that only the flows show. Some may already be
   * closed.
   */
  requests: readonly OpenRequest[];
  /** Deposits and withdrawals that belong to requests. The sums in `flows` exclude them. */
  requestFlows: readonly UserRequestFlow[];
  /**
   * Ids of the vaults whose flows in `requestFlows` or requests in `requests` are incomplete, because the user has too
   * many; "all" if the database does not answer.
   */
  unlisted: ReadonlySet<string> | "all";
}

/** No flows and no requests, and none that are missing. */
export const NO_STORED_FLOWS: StoredFlows = {
  ...{ flows: new Map(), requests: [], requestFlows: [], unlisted: new Set() },
};

/**
 * Reads a user's indexed deposits, withdrawals and requests on the given chains from the database. If the database
 * fails or takes more than two seconds, which is logged, the result is empty with "all" as `unlisted`. Never throws.
 */
export async function readStoredFlows(
  ctx: Context,
  query: { user: string; chainIds: readonly number[] },
): Promise<StoredFlows> {
  try {
    const { chains, requests, requestFlows, unlisted } = await withStoreDeadline(
      selectUserFlows(ctx.db, query),
    );
    const flows = new Map(chains.map((chain) => [chain.chainId, chain]));
    const open = withForeign(requests, requestFlows);
    return { flows, requests: open, requestFlows, unlisted: new Set(unlisted) };
  } catch (error) {
    ctx.log.warn("positions_unstored", { error: describeError(error) });
    return { ...NO_STORED_FLOWS, unlisted: "all" };
  }
}

/**
 * Returns true if open redemptions of the vault may be missing: they are found only by their stored ids, of which some
 * may be missing.
 */
export const missesRequests = (vault: Vault, unlisted: StoredFlows["unlisted"]): boolean =>
  isUnlisted(vault, unlisted) && adapterOf(vault).exits?.findsByIds?.(vault) === true;

/** Returns true if the stored request flows or requests of the vault may be incomplete. */
export const isUnlisted = ({ vaultId }: Vault, unlisted: StoredFlows["unlisted"]): boolean =>
  unlisted === "all" || unlisted.has(vaultId);

/**
 * Returns the query for the assets that a user's requests in the indexed flows have taken out of a vault less those that
 * they have put in. The result is zero if none of them moves assets, and null if the family cannot value them.
 */
export function takenByRequests(
  vault: Vault,
  { user, requestFlows }: { user: Address; requestFlows: readonly UserRequestFlow[] },
): Query<bigint | null> {
  const own = requestFlowsOf(vault, requestFlows);
  const nothing = createQuery({}, () => (own.every(({ assets }) => assets === 0n) ? 0n : null));
  return own.length === 0
    ? nothing
    : (adapterOf(vault).exits?.takenOut?.(vault, { user, flows: own }) ?? nothing);
}

/** Returns the flows of requests that belong to a vault. */
export const requestFlowsOf = (vault: Vault, flows: readonly UserRequestFlow[]): UserRequestFlow[] =>
  flows.filter((one) => one.chainId === vault.chainId && sameAddress(one.vaultAddress, vault.address));

/**
 * Returns the query for the shares that a user's deposit requests in the indexed flows have brought, as far as these lack
 * them. The result is null if unknown.
 */
export const mintedByRequests = (
  vault: Vault,
  { requestFlows }: { requestFlows: readonly UserRequestFlow[] },
): Query<bigint | null> =>
  adapterOf(vault).exits?.mintedShares?.(vault, requestFlowsOf(vault, requestFlows)) ??
  createQuery({}, () => 0n);

/**
 * Adds the requests of the flows that were not built by this service, those that others made for the user included,
 * without a tracking id. Some may already be closed; only the vault shows which.
 */
export function withForeign(
  built: readonly OpenRequest[],
  flows: readonly UserRequestFlow[],
): readonly OpenRequest[] {
  // Some families number deposit and redemption requests separately.
  const key = ({ direction, chainId, vaultAddress, requestId }: OpenRequest) =>
    `${direction}:${chainId}:${vaultAddress}:${requestId}`;
  const known = new Set(built.map(key));
  return [...built, ...flows.flatMap(requestOf).filter((one) => !known.has(key(one)))];
}

/** Returns the request that a flow made. Empty for the cancellation of a redemption request. */
function requestOf({ kind, chainId, vaultAddress, requestId, shares }: UserRequestFlow): OpenRequest[] {
  const deposit = depositRequestOf(requestId);
  const received = receivedRequestOf(requestId);
  if (received !== null) {
    const request = { chainId, vaultAddress, requestId: received, shares: null };
    return [{ trackingId: null, direction: "withdrawal", ...request }];
  }
  if (kind === "deposit" && deposit === null) return [];
  const request = { chainId, vaultAddress, requestId: deposit ?? requestId, shares };
  return [{ trackingId: null, direction: kind, ...request }];
}

/**
 * Returns a user's indexed deposits minus withdrawals in one vault, in the asset's smallest unit, without those that
 * belong to requests. Null if unknown or without flows, if the index is over five minutes behind `blockTimestamp`, or if
 * it does not reach `indexedFor` (both in UNIX seconds).
 */
export function depositedAssets(
  flows: ChainFlows | undefined,
  of: { vaultAddress: string; blockTimestamp: number | null; indexedFor?: number | null },
): bigint | null {
  if (flows === undefined || flows.headTime === null || of.blockTimestamp === null) return null;
  const headMs = flows.headTime.getTime();
  if (of.blockTimestamp * 1000 - headMs > MAX_LAG_MS) return null;
  if (of.indexedFor !== undefined && of.indexedFor !== null && of.indexedFor * 1000 > headMs) return null;
  const sum = flows.sums[of.vaultAddress.toLowerCase()];
  return sum === undefined || sum === null ? null : BigInt(sum);
}
