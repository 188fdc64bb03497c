import { type Address, getAddress } from "viem";
import { runQuery } from "../chains/aggregate-reads.ts";
import type { ChainClient } from "../chains/chain-client.ts";
import { unservedChain } from "../chains/chain-definitions.ts";
import { createQuery, type Query, queryAll } from "../chains/chain-query.ts";
import type { Context } from "../context.ts";
import type { ChainFlows, OpenRequest } from "../db/queries/user-flow-queries.ts";
import { failure } from "../errors.ts";
import { describeError } from "../lib/logger.ts";
import type { ChainCoverage, Position, Positions } from "../schemas/position-schema.ts";
import { listRegistry } from "../vaults/find-vault.ts";
import type { Vault } from "../vaults/vault.ts";
import { adapterOf } from "../vaults/vault-families.ts";
import { depositedAssets, readStoredFlows } from "./position-flows.ts";
import {
  type PendingPosition,
  pendingQuery,
  toWirePending,
  vaultsWithRequests,
} from "./position-pending-deposits.ts";
import {
  type ChainPositions,
  type HeldShares,
  type LensedVault,
  outdatedQuery,
  readChainPositions,
  readChainPositionsWith,
} from "./position-shares.ts";

/**
 * Returns a user's positions: shares in every vault of the registry, and pending requests at asynchronous vaults. All
 * chains are read in parallel, each at one block and, if possible, in one request, plus one request for each simulated
 * claim. A chain that cannot be read is reported in the result. Throws `chain_unsupported`, `store_unavailable`, and
 * `upstream_unavailable` if no chain could be read.
 */
export async function getPositions(
  ctx: Context,
  query: { user: `0x${string}`; chainId: number | null },
): Promise<Positions> {
  if (query.chainId !== null && !ctx.chains.definitions.has(query.chainId)) {
    throw unservedChain(query.chainId, ctx.chains.definitions);
  }
  const chainIds = query.chainId === null ? [...ctx.chains.definitions.keys()] : [query.chainId];
  const stored = readStoredFlows(ctx, { user: query.user, chainIds });
  const { all } = await listRegistry(ctx);
  // Only asynchronous vaults need the stored request ids; other reads do not wait for the database.
  const open = vaultsWithRequests(all).length === 0 ? [] : (await stored).requests;
  const read = await Promise.all(
    chainIds.map(async (chainId) => {
      const vaults = all.filter((vault) => vault.chainId === chainId);
      return { chainId, answer: await readOrNull(ctx, { chainId, vaults, user: query.user, open }) };
    }),
  );
  if (read.length > 0 && read.every(({ answer }) => answer === null)) {
    throw failure("upstream_unavailable", "no chain could be read");
  }
  const { flows } = await stored;
  return {
    user_address: getAddress(query.user),
    positions: read.flatMap(({ chainId, answer }) => toWirePositions(answer, flows.get(chainId))),
    pending: read.flatMap(({ answer }) => answer?.pending ?? []),
    chains: read.map(({ chainId, answer }) => toCoverage({ chainId, answer, flows: flows.get(chainId) })),
  };
}

/** A user's shares and pending requests on one chain, with the pending requests in the API's format. */
type ChainAnswer = ChainPositions & { pending: Positions["pending"] };
/**
 * A user's pending deposit requests, and the ids of vaults whose shares cannot be valued, because their registry entry
 * no longer names the contracts that price them.
 */
interface PendingAndOutdated {
  pending: PendingPosition[];
  outdated: ReadonlySet<string>;
}
const NOTHING: PendingAndOutdated = { pending: [], outdated: new Set() };
/**
 * A user's shares and pending requests on one chain, before claims are simulated. `headTime` is the timestamp, in
 * seconds, of the block at which the pending requests were read, or 0 if none were read.
 */
type ChainRead = ChainPositions & PendingAndOutdated & { headTime: number };

async function readOrNull(
  ctx: Context,
  input: { chainId: number; vaults: readonly Vault[]; user: `0x${string}`; open: readonly OpenRequest[] },
): Promise<ChainAnswer | null> {
  const client = ctx.chains.client(input.chainId);
  if (client === null) return null;
  const { user } = input;
  const lensed = input.vaults.map((vault) => ({ ...adapterOf(vault).lens(vault), vault }));
  try {
    const beside = pendingAndOutdatedQuery(input);
    const read = await readAnswer(client, { user, lensed, beside });
    const held = read.held.map((one) =>
      read.outdated.has(one.vault.vaultId) ? { ...one, assets: null } : one,
    );
    return { ...read, held, pending: await toWirePending(ctx, { ...read, user }) };
  } catch (error) {
    ctx.log.warn("positions_unreadable", { chain_id: input.chainId, error: describeError(error) });
    return null;
  }
}

/**
 * Returns the query for a user's pending requests and for the vaults whose shares cannot be valued with their registry
 * entry, or null if no vault of the chain needs either read.
 */
function pendingAndOutdatedQuery(
  input: Parameters<typeof pendingQuery>[0],
): Query<PendingAndOutdated> | null {
  const pending = pendingQuery(input);
  const outdated = outdatedQuery(input.vaults);
  if (pending === null && outdated === null) return null;
  return queryAll({
    pending: pending ?? createQuery({}, (): PendingPosition[] => []),
    outdated: outdated ?? createQuery({}, (): ReadonlySet<string> => new Set()),
  });
}

/**
 * Reads a user's shares, and the additional query `beside`, in one request, or in separate parallel requests if one
 * request cannot hold both.
 */
async function readAnswer(
  client: ChainClient,
  query: { user: Address; lensed: readonly LensedVault[]; beside: Query<PendingAndOutdated> | null },
): Promise<ChainRead> {
  const { user, lensed, beside } = query;
  if (beside === null) {
    return { ...(await readChainPositions(client, { user, lensed })), ...NOTHING, headTime: 0 };
  }
  const together = await readChainPositionsWith(client, { user, lensed, beside });
  const headTime = together?.positions.blockTimestamp ?? null;
  if (together !== null && headTime !== null) return { ...together.positions, ...together.value, headTime };
  const [positions, read] = await Promise.all([
    readChainPositions(client, { user, lensed }),
    runQuery(client, beside),
  ]);
  return { ...positions, ...read.value, headTime: read.block.timestamp };
}

function toWirePositions(answer: ChainPositions | null, flows: ChainFlows | undefined): Position[] {
  if (answer === null) return [];
  const { held, blockTimestamp } = answer;
  return held.map((shares) => {
    const vaultAddress = shares.vault.address;
    return toWirePosition(shares, depositedAssets(flows, { vaultAddress, blockTimestamp }));
  });
}

function toWirePosition({ vault, shares, assets }: HeldShares, deposited: bigint | null): Position {
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
    deposited_assets: deposited?.toString() ?? null,
    yield_assets: assets === null || deposited === null ? null : (assets - deposited).toString(),
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
    block_timestamp: toTime(answer?.blockTimestamp ?? null),
    indexed_from: flows?.indexedFrom ?? null,
    indexed_to: flows?.indexedTo ?? null,
    unread: answer?.unread.map((vault) => vault.vaultId) ?? [],
  };
}

const toTime = (seconds: number | null): string | null =>
  seconds === null ? null : new Date(seconds * 1000).toISOString();
