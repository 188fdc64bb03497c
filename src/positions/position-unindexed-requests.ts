import type { Address } from "viem";
import { runQueryAtBlock } from "../chains/aggregator/aggregate-reads-at-block.ts";
import type { ChainClient } from "../chains/chain-client.ts";
import { type ChainLog, toViemLog } from "../chains/chain-logs.ts";
import { guardQuery, type Query } from "../chains/chain-reads.ts";
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
import { joinRequests, openRedemptions, type PositionValue } from "./position-redemptions.ts";
import { findShareBasis, type ShareBasis } from "./position-share-reconciliation.ts";
import type { HeldShares } from "./position-shares.ts";

/** Maximum number of blocks above the index whose events are read. */
const MAX_BLOCKS = 2_000;
/** Maximum number of RPC requests for the events of one vault, rejected and failed ones included. */
const MAX_LOG_REQUESTS = 6;
/** Maximum number of vaults of a chain whose events are read. */
const MAX_VAULTS = 4;
/** Maximum number of requests that are taken from a vault's events: others may make some for the user. */
const MAX_FOUND = 50;
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
 * behind and a balance has fallen since its last block, the requests that only events show are read from the events of
 * the blocks since. The value of a position is null if these do not explain the fall. Never throws.
 */
export async function joinUnindexedRequests(
  client: ChainClient,
  of: UnindexedInput,
): Promise<{ values: PositionValue[]; basis: ReadonlyMap<string, ShareBasis> }> {
  const { held, asked } = of;
  const values = joinRequests(held, asked);
  const empty = emptiedVaults(values, of).map(withoutShares);
  const isEmpty = ({ vault }: PositionValue) => empty.some((one) => one.vault === vault);
  const gone = empty.length === 0 ? [] : joinRequests(empty, asked).filter(isEmpty);
  const { basis, fallen } = await findShareBasis(client, { ...of, values, gone });
  const lacking = [...values, ...gone].flatMap((value) => {
    const missing = fallen.get(value.vault.vaultId);
    return missing === undefined || !isFoundByEvents(value.vault) ? [] : [{ value, missing }];
  });
  if (lacking.length === 0) return { values, basis };
  const found = await Promise.all(
    lacking.map(async ({ value, missing }, index) => {
      const requests = index < MAX_VAULTS ? await findRequests(client, { ...of, value, missing }) : null;
      return { value, requests };
    }),
  );
  const unknown = found.filter(({ requests }) => requests === null).map(({ value }) => value.vault);
  const shown = [...held, ...empty.filter(({ vault }) => unknown.includes(vault))];
  return { values: joinRequests(shown, { ...asked, redemptions: withFound(asked, found) }), basis };
}

/** Returns true if only the ids in a vault's events show its requests. */
const isFoundByEvents = (vault: Vault): boolean =>
  adapterOf(vault).exits?.findsByIds?.(vault) === true &&
  adapterOf(vault).flows(vault).namesRequests === true;

const withoutShares = (vault: Vault): HeldShares => ({ vault, shares: 0n, assets: 0n });

/** Returns the vaults, one for each share token, in which the user has flows and no position. */
function emptiedVaults(values: readonly PositionValue[], of: UnindexedInput): Vault[] {
  const sums = of.flows?.sums ?? {};
  const tokenOf = ({ shareToken }: Vault) => shareToken.toLowerCase();
  const known = new Set([...values.map(({ vault }) => vault), ...of.unread].map(tokenOf));
  const own = of.vaults.filter((vault) => vault.address.toLowerCase() in sums && !known.has(tokenOf(vault)));
  return [...new Map(own.filter(isFoundByEvents).map((vault) => [tokenOf(vault), vault])).values()];
}

/** Replaces the requests of vaults by those that were found; where these are unknown, some may be missing. */
function withFound(
  { redemptions }: UnindexedInput["asked"],
  found: readonly { value: PositionValue; requests: readonly PendingExit[] | null }[],
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
  // A node may invent events: only a request that the vault shows explains missing shares.
  const shown = new Set(requests?.map(({ requestId }) => requestId));
  const taken = events.requests
    .filter(({ requestId }) => shown.has(requestId))
    .reduce((sum, { shares }) => sum + (shares ?? 0n), events.redeemed);
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
  const requests = own.flatMap(({ kind, requestId, shares }): UserRequestFlow[] => {
    if (kind === "deposit" || requestId === undefined) return [];
    const { chainId, address } = vault;
    return [{ chainId, vaultAddress: address.toLowerCase(), kind, requestId, shares, assets: null }];
  });
  if (!complete || requests.length > MAX_FOUND) return null;
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
