import type { Context } from "../context.ts";
import { pingDatabase } from "../db/queries/ping.ts";
import { AppError, type ErrorCode } from "../errors.ts";
import { describeError } from "../lib/log.ts";

/** One dependency: whether it answers, how fast (milliseconds), and the code of its failure. */
export interface Readiness {
  name: string;
  ok: boolean;
  latency_ms: number;
  code: ErrorCode | null;
}

/** Asks every dependency for a sign of life. Never throws. */
export async function checkReadiness(ctx: Context): Promise<Readiness[]> {
  const chains = [...ctx.chains.definitions.keys()].map((chainId) => ({
    name: `chain:${chainId}`,
    ask: async () => {
      await ctx.chains.client(chainId)?.request("eth_blockNumber", []);
    },
  }));
  const dependencies = [
    { name: "database", ask: () => pingDatabase(ctx.db) },
    { name: "redis", ask: () => ctx.redis.ping() },
    ...chains,
  ];
  return Promise.all(dependencies.map(({ name, ask }) => probe(ctx, { name, ask })));
}

async function probe(
  ctx: Context,
  dependency: { name: string; ask: () => Promise<void> },
): Promise<Readiness> {
  const { name, ask } = dependency;
  const startedAt = ctx.now();
  try {
    await ask();
    return { name, ok: true, latency_ms: ctx.now() - startedAt, code: null };
  } catch (error) {
    ctx.log.warn("dependency_unready", { name, error: describeError(error) });
    const code = error instanceof AppError ? error.code : "store_unavailable";
    return { name, ok: false, latency_ms: ctx.now() - startedAt, code };
  }
}
