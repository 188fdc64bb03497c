import { readHeadNumber } from "../chains/read-block.ts";
import type { Context } from "../context.ts";
import { type FlowTip, selectFlowTips } from "../db/queries/flow-queries.ts";
import { pingDatabase } from "../db/queries/health-queries.ts";
import { AppError, type ErrorCode } from "../errors.ts";
import { describeError } from "../lib/logger.ts";

/**
 * Health of one dependency: `database`, `redis`, or the RPC nodes of a chain (`chain:<chain id>`). `latency_ms` is the
 * latency of the check in milliseconds; `code` is the error code of a failed check, otherwise null.
 */
export interface Readiness {
  name: string;
  ok: boolean;
  latency_ms: number;
  code: ErrorCode | null;
}

/**
 * Checks that the database, Redis and, for every chain, one of the RPC nodes respond, and returns the results in this
 * order. Never throws; a failed check is logged.
 */
export async function checkReadiness(ctx: Context): Promise<Readiness[]> {
  const chains = [...ctx.chains.definitions.keys()].map((chainId) => ({
    name: `chain:${chainId}`,
    otherwise: "upstream_unavailable" as const,
    ask: async () => {
      const client = ctx.chains.client(chainId);
      if (client !== null) await readHeadNumber(client);
    },
  }));
  const store = { otherwise: "store_unavailable" } as const;
  const dependencies: Probed[] = [
    { ...store, name: "database", ask: () => pingDatabase(ctx.db) },
    { ...store, name: "redis", ask: () => ctx.redis.ping() },
    ...chains,
  ];
  return Promise.all(dependencies.map((dependency) => probe(ctx, dependency)));
}

interface Probed {
  name: string;
  ask: () => Promise<void>;
  /** The code of a failure that is no AppError, such as a node's RpcError. */
  otherwise: ErrorCode;
}

async function probe(ctx: Context, { name, ask, otherwise }: Probed): Promise<Readiness> {
  const startedAt = ctx.now();
  try {
    await ask();
    return { name, ok: true, latency_ms: ctx.now() - startedAt, code: null };
  } catch (error) {
    ctx.log.warn("dependency_unready", { name, error: describeError(error) });
    const code = error instanceof AppError ? error.code : otherwise;
    return { name, ok: false, latency_ms: ctx.now() - startedAt, code };
  }
}

/**
 * How far the flows of one chain's vaults are indexed: the numbers of the head block and of the newest indexed block,
 * and the lag in blocks, at least 0. Each is null if unknown; the last two are also null if no block is indexed. Blocks
 * below the newest indexed one may still be missing.
 */
export interface ChainIndexHealth {
  chain_id: number;
  head: number | null;
  indexed: number | null;
  lag: number | null;
  /**
   * Error code of the last indexing run that failed since the tip last moved or nothing was to be indexed. Null if
   * there is none or the database cannot be read.
   */
  error: string | null;
}

/**
 * Compares the last indexed block of every chain's flow index with the chain's head block. Never throws: numbers that
 * cannot be read are null.
 */
export async function checkChainIndexes(ctx: Context): Promise<ChainIndexHealth[]> {
  const tips = await tipsOrNone(ctx);
  return Promise.all(
    [...ctx.chains.definitions.keys()].map(async (chainId) => {
      const tip = tips.find((one) => one.chainId === chainId);
      const head = await headOrNull(ctx, chainId);
      const indexed = tip?.headBlock ?? null;
      const lag = head === null || indexed === null ? null : Math.max(0, head - indexed);
      return { chain_id: chainId, head, indexed, lag, error: tip?.error ?? null };
    }),
  );
}

async function tipsOrNone(ctx: Context): Promise<FlowTip[]> {
  try {
    return await selectFlowTips(ctx.db);
  } catch (error) {
    ctx.log.warn("tips_unreadable", { error: describeError(error) });
    return [];
  }
}

/**
 * Reads the head block number of a chain, or returns null on failure. The failure itself is reported by the readiness
 * check of that chain.
 */
async function headOrNull(ctx: Context, chainId: number): Promise<number | null> {
  try {
    const client = ctx.chains.client(chainId);
    return client === null ? null : await readHeadNumber(client);
  } catch {
    return null;
  }
}
