import { type Address, parseAbi, zeroAddress } from "viem";
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
import { isNativeAlias, sameAddress } from "../../../lib/address.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import { type PendingExit, unknownPendingExit } from "../../vault-exits.ts";
import { type MellowPrices, mellowPrices } from "./mellow-pricing.ts";
import { parseRequestId, queueFor, requestIdAt, requestQueues } from "./mellow-redeem-queues.ts";

const queueAbi = once(() =>
  parseAbi([
    "function asset() view returns (address)",
    "function requestsOf(address account, uint256 offset, uint256 limit) view returns ((uint256 timestamp, uint256 shares, bool isClaimable, uint256 assets)[])",
  ]),
);
/**
 * Number of a user's requests that one read returns: as many as fit into the 4,096 bytes that the aggregator returns of
 * a call. Each requesting transaction adds one.
 */
const PAGE = 31;
/** Maximum number of such reads, one after the other. */
const MAX_PAGES = 16;

type RedeemRequest = { timestamp: bigint; shares: bigint; isClaimable: boolean; assets: bigint };

/** A user's requests at one queue, and the token that it pays; null if they cannot be read. */
type Listed = { queue: Address; token: Address; requests: readonly RedeemRequest[] } | null;

/**
 * Returns a query for a user's open requests at all queues. The result is null if one of them cannot be read, or if
 * there are none at the known queues and the registry entry may lack others, unless requests at known ones are asked for.
 */
export function mellowOpenRequests(
  vault: Vault,
  { user, requestIds }: { user: Address; requestIds: readonly string[] },
): Query<readonly PendingExit[] | null> {
  const { queues, whole } = requestQueues(vault);
  const asked = requestIds.map((id) => {
    const at = parseRequestId(id);
    return at === null ? "" : (at.queue ?? queueFor(vault, "request") ?? "");
  });
  const isKnown = (at: string) => queues.some((queue) => sameAddress(queue, at));
  const all = whole || (asked.length > 0 && asked.every(isKnown));
  const each = queues.map((queue) => [queue, listedAt(queue, user)] as const);
  return andThen(queryAll(Object.fromEntries(each)), (read): Query<readonly PendingExit[] | null> => {
    const known = Object.values<Listed>(read).flatMap((listed) => listed ?? []);
    const open = known.filter(({ requests }) => requests.length > 0);
    if (known.length < queues.length || (open.length === 0 && !all)) return createQuery({}, () => null);
    if (open.length === 0) return createQuery({}, () => []);
    const tokens = open.map(({ token }) => token);
    return mapQuery(mellowPrices(vault, tokens), (prices) =>
      open.flatMap((at) => at.requests.map((request) => pendingOf(vault, { ...at, request, prices }))),
    );
  });
}

function listedAt(queue: Address, user: Address): Query<Listed> {
  const asset = createQuery({ asset: read({ to: queue, abi: queueAbi(), name: "asset" }) }, (results) =>
    valueOrNull(results.asset),
  );
  return mapQuery(queryAll({ asset, listed: requestsFrom(queue, { user, page: 0 }) }), (seen) =>
    seen.asset === null || seen.listed === null ? null : { queue, token: seen.asset, requests: seen.listed },
  );
}

/** Returns the query for a user's requests from a page on; null if one of them, or whether there are more, is unread. */
function requestsFrom(
  queue: Address,
  { user, page }: { user: Address; page: number },
): Query<readonly RedeemRequest[] | null> {
  const args = [user, BigInt(page * PAGE), BigInt(PAGE)] as const;
  const reads = { listed: read({ to: queue, abi: queueAbi(), name: "requestsOf", args }) };
  return readThen(reads, ({ listed }): Query<readonly RedeemRequest[] | null> => {
    const found = valueOrNull(listed);
    if (found === null || found.length < PAGE) return createQuery({}, () => found);
    // A list that is longer than its limit, or has no end, tells nothing.
    if (found.length > PAGE || page + 1 === MAX_PAGES) return createQuery({}, () => null);
    return mapQuery(requestsFrom(queue, { user, page: page + 1 }), (rest) =>
      rest === null ? null : [...found, ...rest],
    );
  });
}

function pendingOf(
  vault: Vault,
  of: { queue: Address; token: Address; request: RedeemRequest; prices: MellowPrices },
): PendingExit {
  const { queue, token, prices } = of;
  const { timestamp, shares, isClaimable, assets: priced } = of.request;
  // The queue reports no assets until a report has priced the request.
  const assets = priced > 0n ? priced : prices.toToken(token, shares);
  return {
    ...{ ...unknownPendingExit, requestId: requestIdAt(vault, { queue, time: timestamp }), shares },
    ...{ token: isNativeAlias(token) ? zeroAddress : token, since: Number(timestamp) },
    ...{ assets, priced: priced > 0n, value: assets === null ? null : prices.toAsset(token, assets) },
    // What a report has priced waits for liquidity alone.
    earliest: priced > 0n ? null : prices.pricedFrom(timestamp),
    state: isClaimable ? "claimable" : "pending",
    ...{ claimableAssets: isClaimable ? priced : 0n, claimableShares: isClaimable ? shares : 0n },
  };
}
