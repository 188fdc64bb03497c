import * as z from "zod";
import { readHeadNumber } from "../chains/read-block.ts";
import type { Context } from "../context.ts";
import { type FlowTip, selectFlowTips } from "../db/queries/flow-queries.ts";
import { pingDatabase } from "../db/queries/health-queries.ts";
import { AppError, type ErrorCode } from "../errors.ts";
import { SECOND_MS } from "../lib/durations.ts";
import { describeError } from "../lib/logger.ts";
import { withDeadline } from "../lib/timers.ts";

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

/** State of every dependency, and how far the flows of every chain are indexed. */
export interface ReadinessReport {
  dependencies: Readiness[];
  indexes: ChainIndexHealth[];
}

/** Age up to which an isolate's report is used, in milliseconds: each one asks every chain. */
const REPORT_MS = 5 * SECOND_MS;

/**
 * Time in which a dependency must respond, in milliseconds: less than the age from which the cache counts a load as lost
 * and starts another.
 */
const PROBE_MS = 2_500;

/** Returns the isolate's report, which is at most five seconds old. Never throws. */
export async function readReadiness(ctx: Context): Promise<ReadinessReport> {
  const { value } = await ctx.cache.cached({
    key: "health:ready",
    schema: z.custom<ReadinessReport>(),
    sharing: "isolate",
    freshMs: REPORT_MS,
    staleMs: REPORT_MS,
    keepMs: REPORT_MS,
    load: () => checkReadiness(ctx),
  });
  return value;
}

/**
 * Checks that the database, Redis and, for every chain, one of the RPC nodes respond, which it returns in this order,
 * and compares each chain's head block, read once, with its flow index. Never throws: a failed check is logged, and
 * numbers that cannot be read are null.
 */
export async function checkReadiness(ctx: Context): Promise<ReadinessReport> {
  const store = { otherwise: "store_unavailable" } as const;
  const chainIds = [...ctx.chains.definitions.keys()];
  const [tips, database, redis, ...chains] = await Promise.all([
    tipsOrNone(ctx),
    probe(ctx, { ...store, name: "database", ask: () => pingDatabase(ctx.db) }),
    probe(ctx, { ...store, name: "redis", ask: () => ctx.redis.ping() }),
    ...chainIds.map((chainId) => probeChain(ctx, chainId)),
  ]);
  return {
    dependencies: [database, redis, ...chains].map(({ state }) => state),
    indexes: chains.map(({ chainId, answer: head }) => {
      const tip = tips.find((one) => one.chainId === chainId);
      const indexed = tip?.headBlock ?? null;
      const lag = head === null || indexed === null ? null : Math.max(0, head - indexed);
      return { chain_id: chainId, head, indexed, lag, error: tip?.error ?? null };
    }),
  };
}

interface Probed<T> {
  name: string;
  ask: () => Promise<T>;
  /** The code of a failure that is no AppError, such as a node's RpcError. */
  otherwise: ErrorCode;
}

const inTime = <T>(work: Promise<T>): Promise<T> =>
  withDeadline(work, { ms: PROBE_MS, late: () => new Error("no response in time") });

/** Returns the state of a dependency with its answer, which is null if it failed. */
async function probe<T>(
  ctx: Context,
  { name, ask, otherwise }: Probed<T>,
): Promise<{ state: Readiness; answer: T | null }> {
  const startedAt = ctx.now();
  try {
    const work = ask();
    ctx.waitUntil(work.catch(() => undefined));
    const answer = await inTime(work);
    return { state: { name, ok: true, latency_ms: ctx.now() - startedAt, code: null }, answer };
  } catch (error) {
    ctx.log.warn("dependency_unready", { name, error: describeError(error) });
    const code = error instanceof AppError ? error.code : otherwise;
    return { state: { name, ok: false, latency_ms: ctx.now() - startedAt, code }, answer: null };
  }
}

/** Probes the nodes of a chain; their answer is the number of its head block. */
async function probeChain(ctx: Context, chainId: number) {
  const ask = async (): Promise<number | null> => {
    const client = ctx.chains.client(chainId);
    return client === null ? null : readHeadNumber(client);
  };
  const probed = await probe(ctx, { name: `chain:${chainId}`, otherwise: "upstream_unavailable", ask });
  return { chainId, ...probed };
}

async function tipsOrNone(ctx: Context): Promise<FlowTip[]> {
  try {
    return await inTime(selectFlowTips(ctx.db));
  } catch (error) {
    ctx.log.warn("tips_unreadable", { error: describeError(error) });
    return [];
  }
}
