import type { Address } from "viem";
import { runQueryAtBlock } from "../chains/aggregator/aggregate-reads-at-block.ts";
import type { ChainClient } from "../chains/chain-client.ts";
import { type ChainLog, toViemLog } from "../chains/chain-logs.ts";
import { guardQuery, type Query, queryAll } from "../chains/chain-reads.ts";
import { searchLogs } from "../chains/log-reader.ts";
import type { UserRequestFlow } from "../db/queries/user-flow-queries.ts";
import { failure } from "../errors.ts";
import { sameAddress } from "../lib/address.ts";
import type { BlockRange } from "../lib/block-ranges.ts";
import { SECOND_MS } from "../lib/durations.ts";
import { withDeadline } from "../lib/timers.ts";
import { depositRouterAddress } from "../router/router-address.ts";
import { executedOrders, executedOrderTopics } from "../router/router-codec.ts";
import { adapterOf } from "../vaults/families/vault-families.ts";
import type { Vault } from "../vaults/vault.ts";
import type { PendingExit } from "../vaults/vault-exits.ts";
import { requestFlowsOf, withForeign } from "./position-flows.ts";
import { isRedemptionOf, joinRequests, openRedemptions, type PositionValue } from "./position-redemptions.ts";
import {
  MAX_REQUESTS_FOUND,
  readRequestEvents,
  showsRequestsByEvents,
  toRequestFlow,
} from "./position-request-events.ts";
import { findDifferingShares, findShareBasis, type ShareBasis } from "./position-share-reconciliation.ts";
import type { HeldShares } from "./position-shares.ts";

/** Maximum number of blocks above the index whose other events are read. */
const MAX_BLOCKS = 2_000;
/** Maximum number of RPC requests for the events of one vault, rejected and failed ones included. */
const MAX_LOG_REQUESTS = 6;
/** Maximum number of vaults of a chain whose other events are read. */
const MAX_VAULTS = 4;
/** Timeout for one vault's events and requests, in milliseconds. */
const DEADLINE_MS = 3_000;

/** A user's shares and requests on one chain, as they were read at a block, and what is stored of them. */
type UnindexedInput = Omit<Parameters<typeof findShareBasis>[1], "values" | "gone"> & {
  held: readonly HeldShares[];
  /** The requests that are shown. */
  asked: Parameters<typeof joinRequests>[1];
  unread: readonly Vault[];
  blockTimestamp: number | null;
};

/**
 * Joins a user's shares and requests to positions, which `findShareBasis` compares with the flows. Where the index is
 * behind and does not explain them (`doubtfulVaults`), the requests that only events show are read from the user's own
 * events of the blocks since. If these do not explain that a balance has fallen since the index's last block, all of the
 * vault's events are read; if these do not either, the value of the position is null. Never throws.
 */
export async function joinUnindexedRequests(
  client: ChainClient,
  of: UnindexedInput,
): Promise<{ values: PositionValue[]; basis: ReadonlyMap<string, ShareBasis> }> {
  const stored = joinRequests(of.held, of.asked);
  const empty = emptiedVaults(stored, of).map(withoutShares);
  const compared = { ...of, values: stored, gone: goneOf(empty, of.asked) };
  const [{ basis, fallen }, made] = await Promise.all([
    findShareBasis(client, compared),
    findMadeRequests(client, { ...of, vaults: doubtfulVaults(compared) }),
  ]);
  const changed = made.map(({ value }) => [value.vault.vaultId, "unindexed"] as const);
  const all = { ...of, asked: { ...of.asked, redemptions: withFound(of.asked, made) } };
  const held = withUnread(of.held, made);
  const values = joinRequests(held, all.asked);
  const shares = new Map([...basis, ...changed]);
  const ids = new Set(values.map(({ vault }) => vault.vaultId));
  const gone = goneOf(empty, all.asked).filter(({ vault }) => !ids.has(vault.vaultId));
  const lacking = [...values, ...gone].flatMap((value) => {
    const missing = fallen.get(value.vault.vaultId);
    if (missing === undefined || !showsRequestsByEvents(value.vault)) return [];
    const own = made.find((one) => one.value.vault.vaultId === value.vault.vaultId);
    return own !== undefined && own.taken >= missing ? [] : [{ value, missing }];
  });
  if (lacking.length === 0) return { values, basis: shares };
  const found = await Promise.all(
    lacking.map(async ({ value, missing }, index) => {
      const requests = index < MAX_VAULTS ? await findRequests(client, { ...all, value, missing }) : null;
      return { value, requests };
    }),
  );
  const redemptions = withFound(all.asked, found);
  return { values: joinRequests(withUnread(held, found), { ...all.asked, redemptions }), basis: shares };
}

/** Adds the vaults whose requests could not be read, one for each share token. */
function withUnread(
  held: readonly HeldShares[],
  found: readonly { value: Pick<PositionValue, "vault">; requests: readonly PendingExit[] | null }[],
): HeldShares[] {
  const unread = found.filter(({ requests }) => requests === null).map(({ value }) => value.vault);
  const isHeld = ({ shareToken }: Vault) =>
    held.some(({ vault }) => sameAddress(vault.shareToken, shareToken));
  const tokens = unread
    .filter((vault) => !isHeld(vault))
    .map((vault) => [vault.shareToken.toLowerCase(), vault] as const);
  return [...held, ...[...new Map(tokens).values()].map(withoutShares)];
}

/** Joins vaults without shares, one for each share token, to positions. */
function goneOf(empty: readonly HeldShares[], asked: UnindexedInput["asked"]): PositionValue[] {
  if (empty.length === 0) return [];
  return joinRequests(empty, asked).filter(({ vault }) => empty.some((one) => one.vault === vault));
}

/** A vault at which a user has made or cancelled requests since the index's last block. */
interface MadeRequests {
  value: Pick<PositionValue, "vault">;
  /** The user's open requests at the positions' block; null if they cannot be read. */
  requests: readonly PendingExit[] | null;
  /** Shares that those of the new requests which the vault shows took, in the share token's smallest unit. */
  taken: bigint;
}

/** Finds the vaults in which a user has made or cancelled requests since the index's last block. Never throws. */
async function findMadeRequests(client: ChainClient, of: UnindexedInput): Promise<MadeRequests[]> {
  const { user, blockNumber: block, blockTimestamp, flows } = of;
  const indexed = flows?.indexedTo ?? null;
  if (block === null || blockTimestamp === null || indexed === null || block <= indexed) return [];
  const vaults = of.vaults.filter((vault) => !of.unread.includes(vault));
  const events = await readRequestEvents(client, { user, vaults, range: { from: indexed + 1, to: block } });
  if (events === null || events.length === 0) return [];
  const own = vaults.filter((vault) => requestFlowsOf(vault, events).length > 0);
  const open = withForeign(of.open, events);
  const now = blockTimestamp * SECOND_MS;
  const isRead = (vault: Vault, { kind, requestId }: UserRequestFlow): boolean =>
    kind === "deposit" || of.open.some((one) => isRedemptionOf(vault, one) && one.requestId === requestId);
  const queries = own
    .filter((vault) => !requestFlowsOf(vault, events).every((flow) => isRead(vault, flow)))
    .map((vault) => {
      const query = guardQuery(() => openRedemptions(vault, { user, open, now }) ?? none);
      return [vault.vaultId, query] as const;
    });
  const query = queryAll(Object.fromEntries(queries));
  const read = await (queries.length === 0
    ? {}
    : client.onOneNode((node) => runQueryAtBlock(node, { query, block })).catch(() => ({})));
  const further: Readonly<Record<string, readonly PendingExit[] | null>> = read;
  return own.map((vault) => {
    const known = of.asked.redemptions.find((one) => one.vault.vaultId === vault.vaultId);
    const before = known === undefined || known.incomplete === true ? null : known.requests;
    const isAsked = queries.some(([vaultId]) => vaultId === vault.vaultId);
    const requests = isAsked ? (further[vault.vaultId] ?? null) : before;
    return { value: { vault }, requests, taken: takenBy(requestFlowsOf(vault, events), requests) };
  });
}

/**
 * Returns the vaults whose shares the flows do not explain, or which do not show a request that is stored as open. The
 * events of all others would cost every account another RPC request.
 */
function doubtfulVaults(of: UnindexedInput & Parameters<typeof findDifferingShares>[0]): Vault[] {
  const differing = new Set(findDifferingShares(of).map(({ value }) => value.vault.vaultId));
  const isGone = (vault: Vault): boolean => {
    const shown = of.asked.redemptions.find((one) => one.vault.vaultId === vault.vaultId)?.requests ?? [];
    return of.open.some(
      (one) => isRedemptionOf(vault, one) && shown.every(({ requestId }) => requestId !== one.requestId),
    );
  };
  return of.vaults.filter((vault) => differing.has(vault.vaultId) || isGone(vault));
}

/** Returns the shares that new requests took. A node may invent events: only those that the vault shows count. */
function takenBy(events: readonly UserRequestFlow[], requests: readonly PendingExit[] | null): bigint {
  const shown = new Set(requests?.map(({ requestId }) => requestId));
  return events
    .filter(({ requestId }) => shown.has(requestId))
    .reduce((sum, { shares }) => sum + (shares ?? 0n), 0n);
}

const withoutShares = (vault: Vault): HeldShares => ({ vault, shares: 0n, assets: 0n });

/** Returns the vaults, one for each share token, in which the user has flows and no position. */
function emptiedVaults(values: readonly PositionValue[], of: UnindexedInput): Vault[] {
  const sums = of.flows?.sums ?? {};
  const tokenOf = ({ shareToken }: Vault) => shareToken.toLowerCase();
  const known = new Set([...values.map(({ vault }) => vault), ...of.unread].map(tokenOf));
  const own = of.vaults.filter((vault) => vault.address.toLowerCase() in sums && !known.has(tokenOf(vault)));
  return [...new Map(own.filter(showsRequestsByEvents).map((vault) => [tokenOf(vault), vault])).values()];
}

/** Replaces the requests of vaults by those that were found; where these are unknown, some may be missing. */
function withFound(
  { redemptions }: UnindexedInput["asked"],
  found: readonly { value: Pick<PositionValue, "vault">; requests: readonly PendingExit[] | null }[],
): UnindexedInput["asked"]["redemptions"] {
  return redemptions.map((one) => {
    const own = found.find(({ value }) => value.vault.vaultId === one.vault.vaultId);
    if (own === undefined) return one;
    const incomplete = one.incomplete === true || own.requests === null;
    return { ...one, requests: own.requests ?? one.requests, incomplete };
  });
}

/** A position, and the shares by which its balance has fallen since the index's last block. */
type Fallen = UnindexedInput & { value: PositionValue; missing: bigint };

/** Returns a user's open requests at the positions' block; null if one that took missing shares may not be among them. */
async function findRequests(client: ChainClient, of: Fallen): Promise<readonly PendingExit[] | null> {
  if (trackedShares(of) >= of.missing) return of.value.requests;
  const late = () => failure("upstream_timeout", "the events took too long");
  return withDeadline(readRequests(client, of), { ms: DEADLINE_MS, late }).catch(() => null);
}

/** Returns the shares of the shown requests that the flows lack: those that this service tracks. */
function trackedShares({ value, flows, requestFlows }: Fallen): bigint {
  const { vault, requests } = value;
  // Where the history has gaps, or some requests have no ids in it, older requests may lack too.
  const isWhole = (flows?.sums[vault.address.toLowerCase()] ?? null) !== null;
  if (!isWhole || adapterOf(vault).flows(vault).paysUnseen === true) return 0n;
  const indexed = new Set(requestFlowsOf(vault, requestFlows).map(({ requestId }) => requestId));
  return requests
    .filter(({ requestId, inWallet }) => !inWallet && !indexed.has(requestId))
    .reduce((sum, { shares }) => sum + (shares ?? 0n), 0n);
}

const none: Query<null> = { reads: {}, interpret: () => null };

async function readRequests(client: ChainClient, of: Fallen): Promise<readonly PendingExit[] | null> {
  const { value, user, blockNumber: block, blockTimestamp, flows } = of;
  const { vault } = value;
  if (block === null || blockTimestamp === null || flows == null || flows.indexedTo === null) return null;
  const events = await readEvents(client, { vault, user, range: { from: flows.indexedTo + 1, to: block } });
  if (events === null) return null;
  const known = new Set(value.requests.map(({ requestId }) => requestId));
  const open = withForeign(of.open, events.requests);
  const query = guardQuery(
    () => openRedemptions(vault, { user, open, now: blockTimestamp * SECOND_MS }) ?? none,
  );
  const requests = events.requests.every(({ requestId }) => known.has(requestId))
    ? value.requests
    : await client.onOneNode((node) => runQueryAtBlock(node, { query, block }));
  const taken = events.redeemed + takenBy(events.requests, requests);
  return taken >= of.missing ? requests : null;
}

/** What a user did at a vault in a range of blocks, by the events of the vault and of the Router. */
interface VaultEvents {
  /** Redemption requests, open or not. */
  requests: UserRequestFlow[];
  /** Shares that left the user without a request, less those that came, in the share token's smallest unit. */
  redeemed: bigint;
}

/** Reads the events of a vault. Null if there are too many blocks, logs or requests. Errors of the nodes propagate. */
async function readEvents(
  client: ChainClient,
  { vault, user, range }: { vault: Vault; user: Address; range: BlockRange },
): Promise<VaultEvents | null> {
  if (range.to - range.from >= MAX_BLOCKS) return null;
  const source = adapterOf(vault).flows(vault);
  const addresses = [...source.addresses, depositRouterAddress].map((address) => address.toLowerCase());
  const topics = [...source.topics.map((topic) => topic.toLowerCase()), ...(executedOrderTopics()[0] ?? [])];
  const filters = [{ addresses, topics: [topics] }];
  const { logs, complete } = await searchLogs(client, { range, filters, maxRequests: MAX_LOG_REQUESTS });
  const own = logs.flatMap((log) => source.decode(log) ?? []).filter((flow) => sameAddress(flow.user, user));
  const requests = own
    .filter(({ kind }) => kind === "withdrawal")
    .flatMap((flow) => toRequestFlow(vault, flow) ?? []);
  if (!complete || requests.length > MAX_REQUESTS_FOUND) return null;
  const plain = own.filter(({ requestId }) => requestId === undefined);
  const redeemed = plain.reduce(
    (sum, { kind, shares }) => {
      const moved = shares ?? 0n;
      return kind === "withdrawal" ? sum + moved : sum - moved;
    },
    routedShares(logs, { vault, user }),
  );
  return { requests, redeemed };
}

/** Returns the shares that the user gave to the Router less those received from it. The vault's events name the Router. */
function routedShares(logs: readonly ChainLog[], { vault, user }: { vault: Vault; user: Address }): bigint {
  return executedOrders(logs.map(toViemLog)).reduce((sum, { args }) => {
    const gave = sameAddress(args.payer, user) && sameAddress(args.tokenIn, vault.shareToken);
    const got = sameAddress(args.receiver, user) && sameAddress(args.tokenOut, vault.shareToken);
    return sum + (gave ? args.amountIn : 0n) - (got ? args.amountOut : 0n);
  }, 0n);
}
