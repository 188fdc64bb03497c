import { z } from "@hono/zod-openapi";
import type { BlockRef } from "../chains/aggregate.ts";
import { type Described, describeAll } from "../chains/read.ts";
import { readDescribed } from "../chains/read-described.ts";
import type { Context } from "../context.ts";
import { failure } from "../errors.ts";
import { DAY_MS, SECOND_MS } from "../lib/durations.ts";
import { describeError } from "../lib/log.ts";
import type { VaultFlags, VaultState } from "./adapter.ts";
import { adapterOf } from "./adapters.ts";
import type { Vault } from "./vault.ts";

/** A vault's state and the block it was read at. */
export interface ReadState {
  state: VaultState;
  block: BlockRef;
}

const Amount = z.bigint().nullable();
const ReadStateSchema: z.ZodType<ReadState> = z.object({
  state: z.object({
    totalAssets: Amount,
    totalSupply: Amount,
    sharePrice: Amount,
    maxDeposit: Amount,
    minDeposit: Amount,
    paused: z.boolean(),
  }),
  block: z.object({ number: z.int(), timestamp: z.int() }),
});
const FlagsSchema = z.record(z.string(), z.object({ paused: z.boolean(), minDeposit: Amount }));

/**
 * A vault's state, up to a minute old; `stale` when the chain did not answer and older values are served,
 * null when there are none. Never throws for a chain that cannot be read.
 */
export async function readVaultState(
  ctx: Context,
  vault: Vault,
): Promise<{ read: ReadState; stale: boolean } | null> {
  try {
    const { value, stale } = await ctx.cache.cached({
      key: `vault:${vault.vaultId}`,
      schema: ReadStateSchema,
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

async function loadState(ctx: Context, vault: Vault): Promise<ReadState> {
  const described = adapterOf(vault).state(vault, ctx.now());
  const { block, value } = await readDescribed(clientOf(ctx, vault.chainId), described);
  return { state: value, block };
}

/** What lists show of a chain's vaults, by vault id, read together; a chain that does not answer has none. */
export async function readFlags(
  ctx: Context,
  chain: { chainId: number; vaults: readonly Vault[] },
): Promise<Record<string, VaultFlags>> {
  const { chainId, vaults } = chain;
  try {
    const { value } = await ctx.cache.cached({
      key: `flags:${chainId}`,
      schema: FlagsSchema,
      freshMs: 15 * SECOND_MS,
      staleMs: 300 * SECOND_MS,
      keepMs: DAY_MS,
      load: () => loadFlags(ctx, { chainId, vaults }),
    });
    return value;
  } catch (error) {
    ctx.log.warn("flags_unreadable", { chain_id: chainId, error: describeError(error) });
    return {};
  }
}

async function loadFlags(
  ctx: Context,
  chain: { chainId: number; vaults: readonly Vault[] },
): Promise<Record<string, VaultFlags>> {
  const described = chain.vaults.map((vault) => [vault.vaultId, adapterOf(vault).flags(vault)] as const);
  const { value } = await readDescribed(
    clientOf(ctx, chain.chainId),
    describeAll(Object.fromEntries(described)),
  );
  return value;
}

/** Makes described reads of one chain, once and uncached. Throws what the chain client throws. */
export async function readNow<S>(
  ctx: Context,
  input: { chainId: number; described: Described<S> },
): Promise<{ value: S; block: BlockRef }> {
  return readDescribed(clientOf(ctx, input.chainId), input.described);
}

function clientOf(ctx: Context, chainId: number) {
  const client = ctx.chains.client(chainId);
  if (client === null) throw failure("chain_unsupported", `chain ${chainId} is not served`);
  return client;
}
