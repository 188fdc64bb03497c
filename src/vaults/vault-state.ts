import * as z from "zod";
import { runQuery } from "../chains/aggregator/aggregate-reads.ts";
import type { ChainClient } from "../chains/chain-client.ts";
import { createQuery, guardQuery, mapQuery, type Query, queryAll } from "../chains/chain-reads.ts";
import { atBlockTime } from "../chains/chain-time.ts";
import type { Context } from "../context.ts";
import { failure } from "../errors.ts";
import { MAX_UINT256 } from "../lib/amount.ts";
import type { BlockTime } from "../lib/block-ranges.ts";
import { DAY_MS, SECOND_MS } from "../lib/durations.ts";
import { describeError } from "../lib/logger.ts";
import { ORDINARY_ACCOUNT } from "./families/erc4626-base/erc4626-derivation.ts";
import { adapterOf } from "./families/vault-families.ts";
import type { Vault } from "./vault.ts";
import type { VaultFlags, VaultState } from "./vault-adapter.ts";
import { exitFeeOf } from "./vault-share-price.ts";

/** A vault's totals, share price and limits, with the block of the first batch of reads. */
export interface VaultStateAtBlock {
  state: VaultState;
  block: BlockTime;
}

const NullableAmount = z.bigint().nullable();
const VaultStateAtBlockSchema: z.ZodType<VaultStateAtBlock> = z.object({
  state: z.object({
    totalAssets: NullableAmount,
    totalSupply: NullableAmount,
    sharePrice: NullableAmount,
    maxDeposit: NullableAmount,
    minDeposit: NullableAmount,
    paused: z.boolean(),
    exitFee: z.number().nullable().optional(),
  }),
  block: z.object({ number: z.int(), timestamp: z.int() }),
});
const FlagsSchema = z.record(z.string(), z.object({ paused: z.boolean(), minDeposit: NullableAmount }));

/**
 * Returns a vault's totals, share price and limits, at most a minute old. If it cannot be read, returns older values of
 * at most seven days, with `stale` true, or null if there are none. Values that come from Redis lack `pauseUnknown`.
 * Never throws.
 */
export async function readVaultState(
  ctx: Context,
  vault: Vault,
): Promise<{ read: VaultStateAtBlock; stale: boolean } | null> {
  try {
    const { value, stale } = await ctx.cache.cached({
      key: `vault:${vault.vaultId}`,
      schema: VaultStateAtBlockSchema,
      freshMs: 5 * SECOND_MS,
      staleMs: 60 * SECOND_MS,
      keepMs: 7 * DAY_MS,
      load: () => loadState(ctx, vault),
    });
    return { read: value, stale };
  } catch (error) {
    ctx.log.warn("vault_unreadable", { vault_id: vault.vaultId, error: describeError(error) });
    return null;
  }
}

async function loadState(ctx: Context, vault: Vault): Promise<VaultStateAtBlock> {
  const query = (now: number) => vaultStateQuery(vault, now);
  const { block, value } = await readTimed(ctx, { chainId: vault.chainId, query });
  return { state: value, block };
}

/**
 * Returns by vault id whether each vault of a chain is paused and its minimum deposit, without waiting for the chain:
 * `known`, read at `at` (milliseconds since the epoch), or newer values in this isolate's memory. Values that are 15
 * seconds old or older are read again in the background. A vault may be missing. Never throws.
 */
export async function readVaultFlags(
  ctx: Context,
  chain: { chainId: number; vaults: readonly Vault[]; known: Record<string, VaultFlags>; at: number },
): Promise<Record<string, VaultFlags>> {
  const { chainId, vaults, known, at } = chain;
  try {
    const { value } = await ctx.cache.cached({
      key: `flags:${chainId}`,
      schema: FlagsSchema,
      sharing: "isolate",
      known: { value: known, storedAt: at },
      freshMs: 15 * SECOND_MS,
      staleMs: Number.POSITIVE_INFINITY,
      keepMs: null,
      load: () => loadFlags(ctx, { chainId, vaults }),
    });
    return value;
  } catch (error) {
    ctx.log.warn("flags_unreadable", { chain_id: chainId, error: describeError(error) });
    return known;
  }
}

async function loadFlags(
  ctx: Context,
  chain: { chainId: number; vaults: readonly Vault[] },
): Promise<Record<string, VaultFlags>> {
  const queries = chain.vaults.map(
    (vault) => [vault.vaultId, guardQuery(() => adapterOf(vault).flags(vault))] as const,
  );
  const { value } = await runQuery(clientOf(ctx, chain.chainId), queryAll(Object.fromEntries(queries)));
  return Object.fromEntries(
    Object.entries(value).flatMap(([vaultId, flags]) => (flags === null ? [] : [[vaultId, flags] as const])),
  );
}

/** Number of whole shares in the sample of the exit fee. */
const SAMPLED_SHARES = 1_000n;

/**
 * Returns the query for a vault's state. An amount that is no uint256 becomes null: the database cannot store it. `now`
 * is in milliseconds since the epoch. Throws an Error if the vault's family is unknown, and errors of the family.
 */
export const vaultStateQuery = (vault: Vault, now: number): Query<VaultState> =>
  mapQuery(stateWithExitFee(vault, now), (state) => ({
    ...state,
    totalAssets: uint256OrNull(state.totalAssets),
    totalSupply: uint256OrNull(state.totalSupply),
    sharePrice: uint256OrNull(state.sharePrice),
    maxDeposit: uint256OrNull(state.maxDeposit),
    minDeposit: uint256OrNull(state.minDeposit),
  }));

const uint256OrNull = (amount: bigint | null): bigint | null =>
  amount !== null && amount >= 0n && amount <= MAX_UINT256 ? amount : null;

function stateWithExitFee(vault: Vault, now: number): Query<VaultState> {
  const { exits, exitFeeInTerms, state } = adapterOf(vault);
  if (exits === undefined || exitFeeInTerms !== true || !exits.modes(vault).includes("instant"))
    return state(vault, now);
  const terms = exits.terms(vault, {
    ...{ mode: "instant", token: vault.asset, shares: SAMPLED_SHARES * 10n ** BigInt(vault.shareDecimals) },
    ...{ owner: ORDINARY_ACCOUNT, caller: ORDINARY_ACCOUNT, receiver: ORDINARY_ACCOUNT, now },
  });
  return mapQuery(queryAll({ own: state(vault, now), terms }), ({ own, terms: left }) => ({
    ...own,
    exitFee: exitFeeOf({ gross: left.grossAssets, net: left.previewAssets }),
  }));
}

/**
 * Returns the query for the states of several vaults of one chain, by vault id: null for a vault where
 * `vaultStateQuery` or its query throws. `now` is in milliseconds since the epoch.
 */
export function vaultStatesQuery(
  vaults: readonly Vault[],
  now: number,
): Query<Record<string, VaultState | null>> {
  const states = vaults.map(
    (vault) => [vault.vaultId, guardQuery(() => vaultStateQuery(vault, now))] as const,
  );
  return queryAll(Object.fromEntries(states));
}

/**
 * Runs a query on a chain without a cache and returns the result with the block of its first batch of reads. Throws
 * `chain_unsupported`; errors of the chain client and of the query propagate.
 */
export async function readUncached<S>(
  ctx: Context,
  input: { chainId: number; query: Query<S> },
): Promise<{ value: S; block: BlockTime }> {
  return runQuery(clientOf(ctx, input.chainId), input.query);
}

/**
 * Runs a time-dependent query (see `atBlockTime`) uncached, and returns the result with the block of its first batch.
 * `query` takes milliseconds since the epoch and may be called several times. Throws as `readUncached`.
 */
export async function readTimed<S>(
  ctx: Context,
  { chainId, query }: { chainId: number; query: (now: number) => Query<S> },
): Promise<{ value: S; block: BlockTime }> {
  return readUncached(ctx, { chainId, query: atBlockTime(ctx.now(), query) });
}

/**
 * Runs two time-dependent queries as `readTimed`, whose batches share requests. Returns the result of the first as soon as
 * its batches are read; `rest` is that of the second, which may need further ones. Throws as `readUncached`, as does
 * `rest`.
 */
export async function readInTurn<A, B>(
  ctx: Context,
  of: { chainId: number; first: (now: number) => Query<A>; second: (now: number) => Query<B> },
): Promise<{ value: A; block: BlockTime; rest: Promise<B> }> {
  const [first, second] = [atBlockTime(ctx.now(), of.first), atBlockTime(ctx.now(), of.second)];
  return runInTurn(clientOf(ctx, of.chainId), { first, second });
}

async function runInTurn<A, B>(
  client: ChainClient,
  { first, second }: { first: Query<A>; second: Query<B> },
): Promise<{ value: A; block: BlockTime; rest: Promise<B> }> {
  const batch = queryAll({
    first: createQuery(first.reads, (results) => results),
    second: createQuery(second.reads, (results) => results),
  });
  const { value: read, block } = await runQuery(client, batch);
  const further = first.next?.(read.first) ?? null;
  const left = second.next?.(read.second) ?? createQuery({}, () => second.interpret(read.second));
  if (further !== null) return { ...(await runInTurn(client, { first: further, second: left })), block };
  const isKnown = left.next === undefined && Object.keys(left.reads).length === 0;
  const rest = isKnown
    ? Promise.resolve(left.interpret({}))
    : runQuery(client, left).then((all) => all.value);
  // Who awaits it sees its error.
  rest.catch(() => undefined);
  return { value: first.interpret(read.first), block, rest };
}

function clientOf(ctx: Context, chainId: number) {
  const client = ctx.chains.client(chainId);
  if (client === null) throw failure("chain_unsupported", `chain ${chainId} is not served`);
  return client;
}
