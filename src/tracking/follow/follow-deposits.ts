import type { MessageQueue } from "../../config/cloudflare-bindings.ts";
import type { Context } from "../../context.ts";
import { extendDepositLeases, leaseDueDeposits } from "../../db/queries/deposit-schedule-queries.ts";
import { selectChainsToFollow } from "../../db/queries/follow-queries.ts";
import { mapConcurrently } from "../../lib/concurrency.ts";
import { SECOND_MS } from "../../lib/durations.ts";
import { followChain } from "./follow-chain.ts";
import { type FollowedRows, followRows } from "./follow-deposit-rows.ts";
import { type FollowMessage, rowMessages, sendFollowMessages } from "./follow-queue-messages.ts";

/** Number of rounds per chain that one cron run queues, and the interval between them in seconds. */
const ROUNDS = 3;
const ROUND_INTERVAL_S = 20;
/** Minimum pause between two rounds on a chain, in milliseconds, regardless of how many are queued. */
const PAUSE_MS = 4 * SECOND_MS;
/** Duration of the lease on due deposits, in milliseconds. Other runs skip leased deposits. */
const LEASE_MS = 30 * SECOND_MS;
/** Maximum number of due deposits that are queued at once. */
const MAX_DUE = 400;
/** Maximum number of due deposits that one run tracks in deployments without a queue. */
const MAX_DUE_WITHOUT_QUEUE = 24;

/**
 * Result of one run of `followDeposits`. With a queue, `chains` and `due` count what was queued, and all other counts
 * are 0.
 */
export interface FollowRun extends FollowedRows {
  /** Number of chains with deposits or withdrawals to follow, and how many of them could not be read. */
  chains: number;
  failed: number;
  /** Number of final blocks that no round has read since they became final. */
  missing: number;
}

/**
 * Queues three tracking rounds per chain and up to 400 rows that are due. Without a queue, runs one round per chain and
 * tracks up to 24 due rows; unreadable chains are `failed`. Throws `store_unavailable` and errors of the queue.
 */
export async function followDeposits(ctx: Context): Promise<FollowRun> {
  const chainIds = await selectChainsToFollow(ctx.db, [...ctx.chains.definitions.keys()]);
  const queue = ctx.config.followingQueue;
  const chains = chainIds.length;
  if (queue !== null) {
    await sendFollowMessages(queue, roundMessages(chainIds));
    const due = await queueDueDeposits(ctx, queue);
    return { chains, failed: 0, missing: 0, ...NOTHING_FOLLOWED, due };
  }
  const rounds = await mapConcurrently(chainIds, {
    doubtful: () => false,
    // `followChain` has recorded and logged the error.
    work: (chainId) => followChain(ctx, { chainId }).catch(() => undefined),
  });
  const missing = rounds.reduce((sum, round) => sum + (round?.missing ?? 0), 0);
  const failed = rounds.filter((round) => round === undefined).length;
  const { trackingIds, leaseUntil } = await leaseDue(ctx, MAX_DUE_WITHOUT_QUEUE);
  const rows = await extendDepositLeases(ctx.db, { trackingIds, held: leaseUntil, leaseUntil });
  return { chains, failed, missing, ...(await followRows(ctx, { rows, leaseUntil })).done };
}

/**
 * Returns the messages for the rounds of the next minute. The chains take turns, because every round also queues the
 * deposits that are due on any chain, which then wait for a fraction of the interval.
 */
function roundMessages(chainIds: readonly number[]) {
  return Array.from({ length: ROUNDS }, (_, round) => round).flatMap((round) =>
    chainIds.map((chain_id, turn) => ({
      body: { kind: "chain" as const, chain_id, goes_on: false },
      delaySeconds: Math.floor((round + turn / chainIds.length) * ROUND_INTERVAL_S),
    })),
  );
}

const NOTHING_FOLLOWED: FollowedRows = { due: 0, followed: 0, moved: 0, unread: 0, left: 0 };

/**
 * Handles a tracking message and returns counts for the log: runs a round on a chain (`busy` if another one is running
 * or has just ended) and queues what is due, or tracks the rows whose lease is unchanged. Throws `store_unavailable`
 * and errors of `followChain` and of the queue.
 */
export async function followFromMessage(
  ctx: Context,
  message: FollowMessage,
): Promise<Record<string, number | boolean | null>> {
  if (message.kind === "rows") {
    const { tracking_ids: trackingIds, lease } = message;
    const leaseUntil = new Date(ctx.now() + LEASE_MS);
    const rows = await extendDepositLeases(ctx.db, { trackingIds, held: new Date(lease), leaseUntil });
    const { done, soon } = await followRows(ctx, { rows, leaseUntil });
    await queueAgain(ctx, soon);
    return { ...done };
  }
  const queue = ctx.config.followingQueue;
  const pauseMs = message.goes_on ? 0 : PAUSE_MS;
  const round = await followChain(ctx, { chainId: message.chain_id, pauseMs }).catch((error: unknown) => ({
    error,
  }));
  const due = queue === null ? 0 : await queueDueDeposits(ctx, queue);
  if (round === null) return { chain_id: message.chain_id, busy: true, due };
  if ("error" in round) throw round.error;
  // Blocks that this round could not read are read by the next message at once, unless a reorg holds it up.
  if (round.missing > 0 && round.covered > 0 && round.applied && queue !== null)
    await sendFollowMessages(queue, [{ body: { ...message, goes_on: true } }]);
  return { chain_id: message.chain_id, ...round, due };
}

/**
 * Leases deposits that are due and queues them. Deposits that were sent come before unsent ones. Returns their number.
 */
async function queueDueDeposits(ctx: Context, queue: MessageQueue): Promise<number> {
  const { trackingIds, leaseUntil } = await leaseDue(ctx, MAX_DUE);
  await sendFollowMessages(
    queue,
    rowMessages(trackingIds, leaseUntil.getTime()).map((body) => ({ body })),
  );
  return trackingIds.length;
}

/**
 * Queues deposits that are due again before the next round, at the times in `soon`. The message carries that time in
 * place of a lease, so that it has no effect if a round tracks the deposits first.
 */
async function queueAgain(ctx: Context, soon: ReadonlyMap<number, readonly string[]>): Promise<void> {
  const queue = ctx.config.followingQueue;
  if (queue === null) return;
  const messages = [...soon].flatMap(([at, ids]) =>
    rowMessages(ids, at).map((body) => ({
      body,
      delaySeconds: Math.max(1, Math.ceil((at - ctx.now()) / SECOND_MS)),
    })),
  );
  await sendFollowMessages(queue, messages);
}

async function leaseDue(ctx: Context, limit: number) {
  const now = ctx.now();
  const leaseUntil = new Date(now + LEASE_MS);
  const trackingIds = await leaseDueDeposits(ctx.db, { now: new Date(now), leaseUntil, limit });
  return { leaseUntil, trackingIds };
}
