import { type Address, getAddress } from "viem";
import { runQuery } from "../chains/aggregator/aggregate-reads.ts";
import type { ChainClient } from "../chains/chain-client.ts";
import { chainNotServed } from "../chains/chain-definitions.ts";
import { createQuery, type Query, queryAll } from "../chains/chain-reads.ts";
import type { Context } from "../context.ts";
import type { ChainFlows, OpenRequest } from "../db/queries/user-flow-queries.ts";
import { failure } from "../errors.ts";
import { SECOND_MS } from "../lib/durations.ts";
import { describeError } from "../lib/logger.ts";
import { formatUnixTime } from "../lib/unix-time.ts";
import type { FeedReadings } from "../prices/feeds/chainlink-feed-reads.ts";
import {
  type ChainToken,
  type Prices,
  priceKey,
  priceOf,
  showUsdValue,
  type TokenPrice,
} from "../prices/price.ts";
import {
  priceFeedQuery,
  pricesOfRequest,
  recordFeedPrices,
  requestMarketPrices,
} from "../prices/read-prices.ts";
import type { ChainCoverage, Position, Positions } from "../schemas/position-schema.ts";
import { adapterOf } from "../vaults/families/vault-families.ts";
import { listRegistry } from "../vaults/find-vault.ts";
import type { Vault } from "../vaults/vault.ts";
import { NO_STORED_FLOWS, readStoredFlows, type StoredFlows } from "./position-flows.ts";
import {
  type PendingPosition,
  pendingQuery,
  toWirePending,
  vaultsWithRequests,
} from "./position-pending-deposits.ts";
import {
  missingPricesQuery,
  type PositionValue,
  pricedAhead,
  redemptionsQuery,
  toWireDepositRequest,
  toWireRedemption,
  type VaultRedemptions,
  withPrices,
} from "./position-redemptions.ts";
import { depositedForToken, withoutRepeatedTokens } from "./position-repeated-share-tokens.ts";
import { withoutRefusedCancellations } from "./position-request-events.ts";
import type { ShareBasis } from "./position-share-reconciliation.ts";
import {
  type ChainPositions,
  type HeldShares,
  type LensedVault,
  outdatedQuery,
  readChainPositions,
  readChainPositionsWith,
} from "./position-shares.ts";
import { joinUnindexedRequests } from "./position-unindexed-requests.ts";

/**
 * Returns a user's positions and requests on one chain, or on all (`chainId` null). `chains` marks chains and vaults
 * whose shares cannot be read. Throws `chain_unsupported`, `store_unavailable`; `upstream_unavailable` if no chain
 * could be read.
 */
export async function getPositions(
  ctx: Context,
  query: { user: `0x${string}`; chainId: number | null },
): Promise<Positions> {
  if (query.chainId !== null && !ctx.chains.definitions.has(query.chainId)) {
    throw chainNotServed(query.chainId, ctx.chains.definitions);
  }
  const chainIds = query.chainId === null ? [...ctx.chains.definitions.keys()] : [query.chainId];
  const stored = readStoredFlows(ctx, { user: query.user, chainIds });
  const { all } = await listRegistry(ctx);
  // Only some vaults need what is stored of requests; other reads do not wait for the database.
  const asked = vaultsWithRequests(all).length > 0 || all.some(needsStored);
  const known = asked ? await stored : NO_STORED_FLOWS;
  const { requests: open, requestFlows, unlisted } = known;
  requestMarketPrices(ctx, assetsOf(all.filter(({ chainId }) => chainIds.includes(chainId))));
  const read = await Promise.all(
    chainIds.map(async (chainId) => {
      const vaults = all.filter((vault) => vault.chainId === chainId);
      const priced = pricedAhead(vaults, known.flows.get(chainId));
      const flowsOf = async () => (await stored).flows.get(chainId);
      const wanted = {
        ...{ chainId, vaults, user: query.user, open, requestFlows, unlisted, priced, flowsOf },
      };
      return { chainId, vaults, answer: await readOrNull(ctx, wanted) };
    }),
  );
  if (read.length > 0 && read.every(({ answer }) => answer === null)) {
    throw failure("upstream_unavailable", "no chain could be read");
  }
  const { flows, requests } = await stored;
  const held = read.flatMap(({ answer }) => answer?.values.map(({ vault }) => vault) ?? []);
  const prices = await pricesOfRequest(ctx, assetsOf(held));
  return {
    user_address: getAddress(query.user),
    positions: read.flatMap(({ chainId, vaults, answer }) =>
      toWirePositions(answer, { flows: flows.get(chainId), vaults, prices, open: requests }),
    ),
    pending: read.flatMap(({ answer }) => answer?.pending ?? []),
    chains: read.map(({ chainId, answer }) => toCoverage({ chainId, answer, flows: flows.get(chainId) })),
  };
}

/** Returns the vaults' assets, without duplicates. */
function assetsOf(vaults: readonly Vault[]): ChainToken[] {
  const tokens = vaults.map(({ chainId, asset }) => ({ chainId, token: asset.address }));
  return [...new Map(tokens.map((token) => [priceKey(token), token])).values()];
}

/**
 * Returns true if the vault's open redemptions can only be read by their ids, or what requests paid only by their flows,
 * so that these must come from the database.
 */
function needsStored(vault: Vault): boolean {
  const { exits } = adapterOf(vault);
  return exits?.takenOut !== undefined || exits?.findsByIds?.(vault) === true;
}

/** A user's shares on one chain with their values, and the pending deposits, both as read and in the API's format. */
type ChainAnswer = ChainPositions & {
  values: readonly PositionValue[];
  /** How the shares compare with the indexed flows, by vault id; an absent vault counts as `explained`. */
  basis: ReadonlyMap<string, ShareBasis>;
  deposits: readonly PendingPosition[];
  pending: Positions["pending"];
};
/** Data that is read from a chain together with a user's shares. */
interface PendingAndOutdated {
  pending: PendingPosition[];
  redemptions: VaultRedemptions[];
  /** Ids of vaults whose shares cannot be valued, see `outdatedQuery`. */
  outdated: ReadonlySet<string>;
  /** Answers of the price feeds, or null if no asset of the chain has a feed. */
  feeds: FeedReadings | null;
}
const NOTHING: PendingAndOutdated = { pending: [], redemptions: [], outdated: new Set(), feeds: null };
/**
 * A user's shares and pending requests on one chain, before claims are simulated. `headTime` is the timestamp, in
 * seconds, of the block at which the pending requests were read, or 0 if none were read.
 */
type ChainRead = ChainPositions & PendingAndOutdated & { headTime: number };

async function readOrNull(
  ctx: Context,
  input: Omit<Parameters<typeof additionalQuery>[1], "user" | "now"> & {
    user: `0x${string}`;
    flowsOf: () => Promise<ChainFlows | undefined>;
  },
): Promise<ChainAnswer | null> {
  const client = ctx.chains.client(input.chainId);
  if (client === null) return null;
  const { user } = input;
  const lensed = input.vaults.map((vault) => ({ ...adapterOf(vault).lens(vault), vault }));
  try {
    const additional = additionalQuery(ctx, { ...input, now: ctx.now() });
    const read = await readAnswer(client, { user, lensed, additional });
    if (read.feeds !== null) recordFeedPrices(ctx, { readings: read.feeds, headTime: read.headTime });
    const once = await withoutRepeatedTokens(read.held, input.flowsOf);
    const held = once.map((one) => (read.outdated.has(one.vault.vaultId) ? { ...one, assets: null } : one));
    const priced = await withMissingPrices(client, { ...read, held, priced: input.priced });
    // Of a vault whose balance was not read, requests alone would show a balance of zero.
    const isRead = ({ vault }: { vault: Vault }) => !read.unread.includes(vault);
    const asked = { redemptions: priced.filter(isRead), deposits: read.pending.filter(isRead) };
    const shown = read.pending.filter(({ hidden }) => hidden !== true);
    const { vaults, requestFlows } = input;
    const known = { held, asked, vaults, open: input.open, requestFlows };
    const [{ values: joined, basis }, pending] = await Promise.all([
      input.flowsOf().then((flows) => joinUnindexedRequests(client, { ...read, user, ...known, flows })),
      toWirePending(ctx, { ...read, pending: shown, user }),
    ]);
    const values = await withoutRefusedCancellations(client, { user, values: joined });
    return { ...read, held, values, basis, deposits: shown, pending };
  } catch (error) {
    ctx.log.warn("positions_unreadable", { chain_id: input.chainId, error: describeError(error) });
    return null;
  }
}

/**
 * Adds the prices of instant redemption for held vaults whose prices were not read together with the shares. A price is
 * null if the chain cannot be read.
 */
async function withMissingPrices(
  client: ChainClient,
  read: {
    held: readonly HeldShares[];
    redemptions: readonly VaultRedemptions[];
    priced: ReadonlySet<string>;
    headTime: number;
  },
): Promise<readonly VaultRedemptions[]> {
  const query = missingPricesQuery(read.held, { priced: read.priced, now: read.headTime * SECOND_MS });
  if (query === null) return read.redemptions;
  const prices = await runQuery(client, query).then(
    ({ value }) => value,
    () => ({}),
  );
  return withPrices(read.redemptions, { held: read.held, prices });
}

/**
 * Returns the query for everything that is read together with a user's shares: the user's pending requests, the
 * outdated vaults, and the price feeds of the vaults' assets. Null if no vault of the chain needs any of these.
 */
function additionalQuery(
  ctx: Context,
  input: Parameters<typeof pendingQuery>[0] &
    Pick<StoredFlows, "requestFlows" | "unlisted"> & {
      chainId: number;
      priced: ReadonlySet<string>;
      now: number;
    },
): Query<PendingAndOutdated> | null {
  const pending = pendingQuery(input);
  const redemptions = redemptionsQuery(input);
  const outdated = outdatedQuery(input.vaults);
  const tokens = assetsOf(input.vaults).map(({ token }) => token);
  const feeds = priceFeedQuery(ctx, { chainId: input.chainId, tokens });
  const isPriced = Object.keys(feeds.reads).length > 0;
  if (pending === null && redemptions === null && outdated === null && !isPriced) return null;
  return queryAll({
    feeds: isPriced ? feeds : createQuery({}, () => null),
    pending: pending ?? createQuery({}, (): PendingPosition[] => []),
    redemptions: redemptions ?? createQuery({}, (): VaultRedemptions[] => []),
    outdated: outdated ?? createQuery({}, (): ReadonlySet<string> => new Set()),
  });
}

/**
 * Reads a user's shares and the query `additional` in one RPC request, or in parallel requests if one request cannot
 * hold both.
 */
async function readAnswer(
  client: ChainClient,
  query: {
    user: Address;
    lensed: readonly LensedVault[];
    additional: Query<PendingAndOutdated> | null;
  },
): Promise<ChainRead> {
  const { user, lensed, additional } = query;
  if (additional === null) {
    return { ...(await readChainPositions(client, { user, lensed })), ...NOTHING, headTime: 0 };
  }
  const together = await readChainPositionsWith(client, { user, lensed, additional });
  const headTime = together?.positions.blockTimestamp ?? null;
  if (together !== null && headTime !== null) return { ...together.positions, ...together.value, headTime };
  const [positions, read] = await Promise.all([
    readChainPositions(client, { user, lensed }),
    runQuery(client, additional),
  ]);
  return { ...positions, ...read.value, headTime: read.block.timestamp };
}

function toWirePositions(
  answer: ChainAnswer | null,
  of: {
    flows: ChainFlows | undefined;
    vaults: readonly Vault[];
    prices: Prices;
    open: readonly OpenRequest[];
  },
): Position[] {
  if (answer === null) return [];
  const { values, deposits, basis, blockTimestamp } = answer;
  return values.map((value) => {
    const { vault, correction, correctFrom } = value;
    const at = { vault, vaults: of.vaults, blockTimestamp, indexedFor: correctFrom };
    const recorded = depositedForToken(of.flows, at);
    const shown = basis.get(vault.vaultId) ?? "explained";
    const known = recorded !== null && correction !== null && shown !== "unindexed";
    const deposited = known ? recorded + correction : null;
    const price = priceOf(of.prices, { chainId: vault.chainId, token: vault.asset.address });
    const requests = [
      ...value.requests.map((request) => toWireRedemption(vault, { request, open: of.open })),
      ...deposits
        .filter((one) => one.vault.vaultId === vault.vaultId)
        .map((one) => toWireDepositRequest(one, of.open)),
    ];
    return toWirePosition(value, { deposited, price, requests, transferred: shown === "transferred" });
  });
}

function toWirePosition(
  { vault, shares, assets, redeemable }: PositionValue,
  {
    deposited,
    price,
    requests,
    transferred,
  }: Pick<Position, "requests"> & {
    deposited: bigint | null;
    price: TokenPrice | null;
    transferred: boolean;
  },
): Position {
  const earned = assets === null || deposited === null || transferred ? null : assets - deposited;
  return {
    vault_id: vault.vaultId,
    vault_name: vault.name,
    vault_address: vault.address,
    chain_id: vault.chainId,
    asset_symbol: vault.asset.symbol.toUpperCase(),
    asset_address: vault.asset.address,
    asset_decimals: vault.asset.decimals,
    share_balance: shares.toString(),
    share_decimals: vault.shareDecimals,
    vault_type: vault.type,
    current_assets: assets?.toString() ?? null,
    redeemable_assets: redeemable?.toString() ?? null,
    requests,
    deposited_assets: deposited?.toString() ?? null,
    yield_assets: earned?.toString() ?? null,
    value_usd: showUsdValue(assets, { decimals: vault.asset.decimals, price }),
  };
}

function toCoverage(chain: {
  chainId: number;
  answer: ChainPositions | null;
  flows: ChainFlows | undefined;
}): ChainCoverage {
  const { answer, flows } = chain;
  return {
    chain_id: chain.chainId,
    ok: answer !== null,
    block_number: answer?.blockNumber ?? null,
    block_timestamp: formatUnixTime(answer?.blockTimestamp ?? null),
    indexed_from: flows?.indexedFrom ?? null,
    indexed_to: flows?.indexedTo ?? null,
    unread: answer?.unread.map((vault) => vault.vaultId) ?? [],
  };
}
