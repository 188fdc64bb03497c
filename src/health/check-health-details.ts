import type { Context } from "../context.ts";
import {
  type DepositBacklog,
  type FollowedChainHealth,
  selectDepositBacklog,
  selectFollowedChainHealth,
} from "../db/queries/health-queries.ts";
import { SECOND_MS } from "../lib/durations.ts";
import { describeError } from "../lib/logger.ts";
import { type HealthDetails, SharedDetails } from "../schemas/health-schema.ts";
import { checkReadiness } from "./check-readiness.ts";
import { readJobRuns } from "./job-runs.ts";

/**
 * Returns the health of the service for operators, from a cache for up to 20 seconds; only the circuit breakers, those
 * of this isolate, are always current. Never throws: values that cannot be read are null.
 */
export async function checkDetails(ctx: Context): Promise<HealthDetails> {
  const { value } = await ctx.cache.cached({
    key: "health:details",
    schema: SharedDetails,
    freshMs: 10 * SECOND_MS,
    staleMs: 20 * SECOND_MS,
    keepMs: 20 * SECOND_MS,
    load: () => loadDetails(ctx),
  });
  return { ...value, breakers: breakerStates(ctx) };
}

/** Returns the circuit breakers of this isolate; other isolates have their own. */
function breakerStates(ctx: Context): HealthDetails["breakers"] {
  const reports = [...ctx.breakers.report(), ctx.prices.memory.breaker.report(ctx.now())];
  return reports.map(({ name, state, hangs, until }) => ({
    ...{ name, state, hangs },
    until: until === null ? null : new Date(until).toISOString(),
  }));
}

async function loadDetails(ctx: Context): Promise<SharedDetails> {
  const [{ dependencies, indexes }, followed, backlog, jobs, providers] = await Promise.all([
    checkReadiness(ctx),
    orNull(ctx, selectFollowedChainHealth(ctx.db)),
    orNull(ctx, selectDepositBacklog(ctx.db, new Date(ctx.now()))),
    readJobRuns(ctx),
    orNull(ctx, ctx.providers.all()),
  ]);
  return {
    dependencies,
    chains: indexes.map((index) => ({
      chain_id: index.chain_id,
      head: index.head,
      nodes: ctx.chains.definitions.get(index.chain_id)?.rpcUrls.length ?? 0,
      index: { block: index.indexed, lag_blocks: index.lag, code: index.error },
      deposits: followedState(
        ctx,
        followed?.find(({ chainId }) => chainId === index.chain_id),
      ),
    })),
    providers: providers?.map(({ name }) => ({ name })) ?? null,
    deposits: backlog === null ? null : backlogState(ctx, backlog),
    jobs,
    at: new Date(ctx.now()).toISOString(),
  };
}

function followedState(
  ctx: Context,
  chain: FollowedChainHealth | undefined,
): HealthDetails["chains"][number]["deposits"] {
  if (chain === undefined) return null;
  const { headBlock, headSeconds, missing, roundSeconds, error } = chain;
  return {
    block: headBlock,
    lag_s: Math.max(0, Math.round(ctx.now() / 1000 - headSeconds)),
    missing_blocks: missing,
    round_at: roundSeconds === null ? null : new Date(roundSeconds * 1000).toISOString(),
    code: error,
  };
}

function backlogState(
  ctx: Context,
  { underWay, due, oldestDueAt }: DepositBacklog,
): HealthDetails["deposits"] {
  const oldest = oldestDueAt === null ? null : Math.max(0, Math.round((ctx.now() - +oldestDueAt) / 1000));
  return { under_way: underWay, due, oldest_due_s: oldest };
}

async function orNull<T>(ctx: Context, work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    ctx.log.warn("details_unreadable", { error: describeError(error) });
    return null;
  }
}
