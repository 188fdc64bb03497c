import type { Address } from "viem";
import { guardQuery, mapQuery, type Query, queryAll } from "../chains/chain-reads.ts";
import { atBlockTime } from "../chains/chain-time.ts";
import type { OpenRequest, UserRequestFlow } from "../db/queries/user-flow-queries.ts";
import { sameAddress } from "../lib/address.ts";
import { mulDivDown } from "../lib/amount.ts";
import { formatUnixTime } from "../lib/unix-time.ts";
import type { VaultRequest } from "../schemas/position-schema.ts";
import { adapterOf } from "../vaults/families/vault-families.ts";
import type { Vault } from "../vaults/vault.ts";
import type { PendingExit } from "../vaults/vault-exits.ts";
import {
  isUnlisted,
  mintedByRequests,
  missesRequests,
  type StoredFlows,
  takenByRequests,
} from "./position-flows.ts";
import type { PendingPosition } from "./position-pending-deposits.ts";
import type { HeldShares } from "./position-shares.ts";

/** A user's open redemptions at a vault, and what the vault deducts from an instant redemption. */
export interface VaultRedemptions {
  vault: Vault;
  requests: readonly PendingExit[];
  /** True if the user may have open requests that `requests` lacks. */
  incomplete?: boolean;
  /**
   * Assets that the user's requests in the indexed flows have taken out of the vault less those that they have put in,
   * in the asset's smallest unit; null if unknown.
   */
  takenOut: bigint | null;
  /** Shares that the user's deposit requests have brought and whose flows lack them; null if unknown. */
  minted: bigint | null;
  /**
   * Value of a sample of shares before (`gross`) and after (`net`) the fees of instant redemption, both in the asset's
   * smallest unit. Null if unknown, not read, or if the family has no `VaultExits.exitPrice`.
   */
  price: { gross: bigint; net: bigint } | null;
}

/**
 * Returns the query for a user's open redemptions and for the prices of instant redemption at the vaults of one chain,
 * or null if neither is read at any vault. `now` is in UNIX milliseconds. Ended redemptions are left out.
 */
export function redemptionsQuery(input: {
  user: Address;
  vaults: readonly Vault[];
  open: readonly OpenRequest[];
  requestFlows: readonly UserRequestFlow[];
  /** Ids of the vaults of which `requestFlows` or `open` lacks entries; their open redemptions may be unknown. */
  unlisted: StoredFlows["unlisted"];
  /** Lowercase addresses of vaults whose prices to read. A price is null if that takes more than one batch of reads. */
  priced: ReadonlySet<string>;
  now: number;
}): Query<VaultRedemptions[]> | null {
  if (redemptionParts(input).length === 0) return null;
  return atBlockTime(input.now, (now) => {
    const parts = Object.fromEntries(redemptionParts({ ...input, now }));
    return mapQuery(queryAll(parts), (all) => Object.values(all));
  });
}

const none: Query<null> = { reads: {}, interpret: () => null };

function redemptionParts(input: Parameters<typeof redemptionsQuery>[0]) {
  return input.vaults.flatMap((vault): [string, Query<VaultRedemptions>][] => {
    const { exits } = adapterOf(vault);
    const isPriced = exits?.exitPrice !== undefined && input.priced.has(vault.address.toLowerCase());
    if (exits?.pending === undefined && !isPriced) return [];
    const nothing: Query<[]> = { reads: {}, interpret: () => [] };
    const lacking = isUnlisted(vault, input.unlisted);
    const incomplete = missesRequests(vault, input.unlisted);
    const price = isPriced ? exitPriceOf(vault, input.now) : none;
    // What one vault's contracts return must not hide the others.
    const parts = queryAll({
      requests: guardQuery(() => openRedemptions(vault, input) ?? nothing),
      price: price.next === undefined ? price : none,
      takenOut: lacking ? none : guardQuery(() => takenByRequests(vault, input)),
      minted: lacking ? none : guardQuery(() => mintedByRequests(vault, input)),
    });
    return [[vault.vaultId, mapQuery(parts, (found) => toRedemptions({ vault, incomplete }, found))]];
  });
}

const exitPriceOf = (vault: Vault, now: number): Query<VaultRedemptions["price"]> =>
  guardQuery(() => adapterOf(vault).exits?.exitPrice?.(vault, now) ?? none);

/**
 * Maximum number of vaults per chain for which all prices of instant redemption are read before the user's shares are
 * known. The two reads of each vault then still fit into the request that reads the shares.
 */
const MAX_PRICED_AHEAD = 140;

/**
 * Returns the lowercase addresses of one chain's vaults whose prices of instant redemption are read together with the
 * user's shares: all or, of more than 140, those in which the user has indexed flows.
 */
export function pricedAhead(
  vaults: readonly Vault[],
  flows: { sums: Readonly<Record<string, string | null>> } | undefined,
): ReadonlySet<string> {
  if (vaults.length <= MAX_PRICED_AHEAD) return new Set(vaults.map(({ address }) => address.toLowerCase()));
  return new Set(Object.keys(flows?.sums ?? {}));
}

/**
 * Returns the query for those prices of instant redemption of held vaults, by vault id, that `redemptionsQuery` leaves
 * out. `priced` and `now` are as there. Null if there are none.
 */
export function missingPricesQuery(
  held: readonly HeldShares[],
  { priced, now }: { priced: ReadonlySet<string>; now: number },
): Query<Record<string, VaultRedemptions["price"]>> | null {
  const parts = held.flatMap(({ vault }): [string, Query<VaultRedemptions["price"]>][] => {
    const price = exitPriceOf(vault, now);
    const query = priced.has(vault.address.toLowerCase()) && price.next === undefined ? none : price;
    // Not every vault of a family has a price of its own to read: no request is sent for none.
    return Object.keys(query.reads).length === 0 ? [] : [[vault.vaultId, query]];
  });
  return parts.length === 0 ? null : queryAll(Object.fromEntries(parts));
}

/**
 * Adds prices of instant redemption, by vault id, to a user's redemptions. A held vault that `redemptions` lacks is
 * added with its price and no open redemptions.
 */
export function withPrices(
  redemptions: readonly VaultRedemptions[],
  of: { held: readonly HeldShares[]; prices: Readonly<Record<string, VaultRedemptions["price"]>> },
): VaultRedemptions[] {
  const { held, prices } = of;
  const known = new Set(redemptions.map(({ vault }) => vault.vaultId));
  const added = held
    .filter(({ vault }) => !known.has(vault.vaultId))
    .map(({ vault }): VaultRedemptions => ({ vault, requests: [], takenOut: 0n, minted: 0n, price: null }));
  return [...redemptions, ...added].map((one) => ({ ...one, price: prices[one.vault.vaultId] ?? one.price }));
}

function toRedemptions(
  of: { vault: Vault; incomplete: boolean },
  found: Pick<VaultRedemptions, "price" | "takenOut" | "minted"> & {
    requests: readonly PendingExit[] | null;
  },
): VaultRedemptions {
  const incomplete = of.incomplete || found.requests === null;
  return { ...found, ...of, incomplete, requests: found.requests ?? [] };
}

/**
 * Returns the query for a user's open redemptions at one vault, or null if the family has no requests. `now` is in UNIX
 * milliseconds. The result is null if the requests cannot be read; ended ones are left out.
 */
export function openRedemptions(
  vault: Vault,
  of: { user: Address; open: readonly OpenRequest[]; now: number },
): Query<readonly PendingExit[] | null> | null {
  const exits = adapterOf(vault).exits;
  if (exits?.pending === undefined) return null;
  const requestIds = of.open.filter((one) => isRedemptionOf(vault, one)).map(({ requestId }) => requestId);
  const query = exits.pending(vault, { user: of.user, requestIds, now: of.now });
  return mapQuery(query, (requests) => requests?.filter(isOpen) ?? null);
}

/**
 * Returns false for redemptions that have ended: rejected by the vault, or expired with the shares still in the user's
 * wallet.
 */
const isOpen = ({ state, inWallet }: PendingExit): boolean =>
  state !== "rejected" && !(state === "expired" && inWallet);

const isRequestTo = ({ chainId, address }: Vault, one: OpenRequest): boolean =>
  one.chainId === chainId && sameAddress(one.vaultAddress, address);

/** Returns true if a stored request is a redemption from the vault. */
export const isRedemptionOf = (vault: Vault, one: OpenRequest): boolean =>
  one.direction === "withdrawal" && isRequestTo(vault, one);

/**
 * A user's position in one vault, with open redemptions. Those whose shares have left the wallet count in `assets`, not
 * in `shares`. `assets`, `redeemable` and `correction` are in the asset's smallest unit.
 */
export interface PositionValue extends HeldShares {
  /**
   * Value of the shares in the wallet, less the fees of instant redemption that `VaultExits.exitPrice` shows, whatever
   * the vault's liquidity. Null if unknown or not paid instantly or, without `exitPrice`, if there are other modes too.
   */
  redeemable: bigint | null;
  /**
   * Amount to add to the sum of the user's indexed flows (deposits minus withdrawals), so that a redemption counts once
   * it is paid and a deposit once its shares are claimed. Null if unknown or if another position has its share token.
   */
  correction: bigint | null;
  /** Time in UNIX seconds up to which flows must be indexed for the correction to apply; 0 or null if none is known. */
  correctFrom: number | null;
  requests: readonly PendingExit[];
  /** Shares as in `VaultRedemptions.minted`. */
  minted: bigint | null;
}

/**
 * Adds open requests to a user's positions. A position that consists only of requests has a balance of zero and comes
 * after the held ones. A value is null if a part of it is unknown.
 */
export function joinRequests(
  held: readonly HeldShares[],
  open: { redemptions: readonly VaultRedemptions[]; deposits: readonly PendingPosition[] },
): PositionValue[] {
  const byVault = new Map(open.redemptions.map((one) => [one.vault.vaultId, one]));
  const booked = new Map(open.deposits.map((one) => [one.vault.vaultId, one.booked]));
  const all = withRequested(held, open);
  return all.map((one) => {
    const found = byVault.get(one.vault.vaultId);
    const requests = found?.requests ?? [];
    const deposit = booked.get(one.vault.vaultId);
    // Positions with the same share token cannot tell their flows apart.
    const sole = all.filter(({ vault }) => sameAddress(vault.shareToken, one.vault.shareToken)).length === 1;
    return {
      ...one,
      assets:
        found?.incomplete === true
          ? null
          : sumWith(one.assets, { ...one, requests: requests.filter(({ inWallet }) => !inWallet) }),
      redeemable: redeemableOf(one, found?.price ?? null),
      correction: sole ? correctionOf(found, deposit) : null,
      correctFrom: lastBooking(requests, deposit),
      requests,
      minted: found === undefined ? 0n : found.minted,
    };
  });
}

/** Adds the vaults in which a user has only requests, with a balance of zero. */
function withRequested(held: readonly HeldShares[], open: Parameters<typeof joinRequests>[1]): HeldShares[] {
  const deposits = open.deposits.filter(({ hidden }) => hidden !== true);
  const asked = [...open.redemptions.filter(({ requests }) => requests.length > 0), ...deposits];
  const all = asked.map(({ vault }): HeldShares => ({ vault, shares: 0n, assets: 0n }));
  const byVault = new Map([...all, ...held].map((one) => [one.vault.vaultId, one]));
  for (const { vault } of held) byVault.delete(vault.vaultId);
  return [...held, ...byVault.values()];
}

type Booked = PendingPosition["booked"];

/**
 * Returns the correction of the flows' sum: plus redemptions that they count and the vault has not paid, minus deposits
 * that they count and whose shares the user does not have. Null if one of the amounts is unknown.
 */
function correctionOf(found: VaultRedemptions | undefined, booked: Booked): bigint | null {
  if (found?.incomplete === true) return null;
  const unpaid =
    found === undefined
      ? 0n
      : sumWith(0n, { ...found, requests: found.requests.filter(({ bookedOut }) => bookedOut) });
  const taken = found === undefined ? 0n : found.takenOut;
  const early = booked === undefined ? 0n : booked.assets;
  return unpaid === null || taken === null || early === null ? null : unpaid - taken - early;
}

/**
 * Returns the last time at which a request was counted as paid or deposited, or null if none was or no time is known.
 */
function lastBooking(requests: readonly PendingExit[], booked: Booked): number | null {
  const times = requests.flatMap(({ bookedOut, bookedAt }) =>
    bookedOut && bookedAt !== null ? bookedAt : [],
  );
  const all = booked === undefined ? times : [...times, booked.at];
  return all.length === 0 ? null : Math.max(...all);
}

/** Adds the value of requests in the vault's asset to an amount. Null if one of them is unknown. */
function sumWith(
  start: bigint | null,
  of: { vault: Vault; requests: readonly PendingExit[] },
): bigint | null {
  return of.requests.reduce((sum, { token, assets, value }) => {
    const worth = sameAddress(token, of.vault.asset.address) ? assets : value;
    return sum === null || worth === null ? null : sum + worth;
  }, start);
}

/**
 * Returns the assets that the user would receive for all shares by instant redemption, rounded down. Null if value or
 * fee is unknown, without instant redemption or, in a family without `exitPrice`, if there are other modes too.
 */
function redeemableOf({ vault, assets }: HeldShares, price: VaultRedemptions["price"]): bigint | null {
  const exits = adapterOf(vault).exits;
  if (assets === null || exits === undefined) return null;
  if (exits.exitPrice === undefined) return exits.modes(vault).join() === "instant" ? assets : null;
  return price === null || price.gross === 0n ? null : mulDivDown(assets, price.net, price.gross);
}

const CLAIMABLE = { assets: "claimableAssets", shares: "claimableShares" } as const;

/**
 * Converts an open redemption to the API's format. States other than `claimable` are shown as `pending`. `tracking_id`
 * is null unless `open` contains the request as one that this service built.
 */
export function toWireRedemption(
  vault: Vault,
  { request, open }: { request: PendingExit; open: readonly OpenRequest[] },
): VaultRequest {
  const row = open.find((one) => isRedemptionOf(vault, one) && one.requestId === request.requestId);
  const tokens = adapterOf(vault).exits?.tokens(vault, request.mode) ?? [];
  const paid = tokens.find(({ address }) => sameAddress(address, request.token));
  return {
    request_id: request.requestId,
    kind: "redeem",
    shares: request.shares?.toString() ?? null,
    assets: request.assets?.toString() ?? null,
    token: { address: request.token, symbol: paid?.symbol ?? "", decimals: paid?.decimals ?? null },
    // A request whose window passed outside of the wallet waits for its cancellation.
    state: request.state === "claimable" ? "claimable" : "pending",
    since: formatUnixTime(request.since),
    earliest: formatUnixTime(request.earliest),
    expires_at: formatUnixTime(request.expiresAt),
    claimable: request[CLAIMABLE[request.pays]]?.toString() ?? null,
    cancellable: request.cancellable,
    in_wallet: request.inWallet,
    tracking_id: row?.trackingId ?? null,
  };
}

/**
 * Converts a user's pending deposits into one vault to the API's format, as one request. Its id is that of the first
 * open deposit to the vault in `open` or else `0`, which stands for all of the account's requests (EIP-7540).
 */
export function toWireDepositRequest(pending: PendingPosition, open: readonly OpenRequest[]): VaultRequest {
  const { vault, pendingAssets, claimableShares, claimableAssets, returnedAssets, claim, booked } = pending;
  const claimable = (claimableShares ?? 0n) > 0n || (claimableAssets ?? 0n) > 0n;
  const paysBack = claim?.paysBack === true;
  const known = pendingAssets !== null && claimableAssets !== null;
  const assets = booked?.assets ?? (known ? pendingAssets + claimableAssets : pendingAssets || null);
  const deposits = open.filter((one) => one.direction === "deposit" && isRequestTo(vault, one));
  const row = deposits.find(({ requestId }) => pending.openIds?.includes(requestId) ?? true);
  return {
    ...{ request_id: row?.requestId ?? "0", kind: "deposit", tracking_id: row?.trackingId ?? null },
    shares: claimable && !paysBack ? (claimableShares?.toString() ?? null) : null,
    assets: assets?.toString() ?? null,
    token: { ...vault.asset },
    state: claimable || paysBack ? "claimable" : "pending",
    ...{ since: null, earliest: null, expires_at: null, cancellable: false, in_wallet: false },
    claimable: (paysBack ? returnedAssets : claimableShares)?.toString() ?? null,
  };
}
