import type { Context } from "./context.ts";
import { deleteExpiredAnswers, deleteUnsent } from "./deposits/clean-up-deposits.ts";
import { AppError, failure } from "./errors.ts";
import { BackfillMessage, backfillFromMessage } from "./flows/backfill-flows.ts";
import { indexAllChains } from "./flows/index-flows.ts";
import { indexGovernanceEvents } from "./flows/index-governance-events.ts";
import { type JobName, recordJobRun } from "./health/job-runs.ts";
import { takeSnapshots } from "./history/take-vault-snapshots.ts";
import { countBlocks } from "./lib/block-ranges.ts";
import { describeError, type LogFields } from "./lib/logger.ts";
import type { HeldLease } from "./lib/renewed-lease.ts";
import { discoverFromMessage, discoverVaults, RegisterMessage } from "./registry/discover-registry-vaults.ts";
import { ProofMessage, proveDueVaults, proveFromMessage } from "./registry/proofs/prove-due-vaults.ts";
import { raiseSignals } from "./signals/raise-signals.ts";
import { followDeposits, followFromMessage } from "./tracking/follow/follow-deposits.ts";
import { FollowMessage } from "./tracking/follow/follow-queue-messages.ts";

/** A background job that a cron trigger starts. */
export interface Job {
  name: JobName;
  /**
   * Does a bounded part of the job's work and returns what it did, for the log. A later run continues. Errors fail the
   * run.
   */
  run(ctx: Context): Promise<LogFields>;
}

/** Job that follows and tracks deposits and withdrawals, or queues that work if there is a queue. */
const followDepositsJob: Job = {
  name: "follow_deposits",
  run: async (ctx) => ({ ...(await followDeposits(ctx)) }),
};

/** Job that indexes the flows (deposits and withdrawals) of the vaults on every served chain. */
export const indexFlowsJob: Job = {
  name: "index_flows",
  run: async (ctx) => ({ ...(await indexAllChains(ctx)) }),
};

/**
 * Backfills the block range of a queue message and returns what it did, for the log. Throws a ZodError if the message
 * is malformed.
 */
async function runBackfillMessage(ctx: Context, body: unknown): Promise<LogFields> {
  const part = BackfillMessage.parse(body);
  const { blocks, rows, left } = await backfillFromMessage(ctx, part);
  return { ...part, blocks, rows, left: countBlocks(left) };
}

/** Job that proves the vaults whose proof is due, or queues that work if there is a queue. */
const proveVaultsJob: Job = {
  name: "prove_vaults",
  run: async (ctx) => ({ ...(await proveDueVaults(ctx)) }),
};

/**
 * Handles a message of the following queue: reads a chain, tracks deposits and withdrawals, proves a chain's due vaults,
 * or reads its due registers. Returns what it did, for the log. Throws a ZodError if the message is malformed.
 */
async function runFollowMessage(ctx: Context, body: unknown): Promise<LogFields> {
  const proofs = ProofMessage.safeParse(body);
  if (proofs.success) return { ...proofs.data, ...(await proveFromMessage(ctx, proofs.data)) };
  const registers = RegisterMessage.safeParse(body);
  if (registers.success) return { ...registers.data, ...(await discoverFromMessage(ctx, registers.data)) };
  return followFromMessage(ctx, FollowMessage.parse(body));
}

/** Job that looks for new vaults in the registers that are due, or queues that work if there is a queue. */
const discoverVaultsJob: Job = {
  name: "discover_vaults",
  run: async (ctx) => ({ ...(await discoverVaults(ctx)) }),
};

/** Job that stores a snapshot of all vaults in `listRegistry`. */
const takeSnapshotsJob: Job = {
  name: "note_snapshots",
  run: async (ctx) => ({ ...(await takeSnapshots(ctx)) }),
};

/** Job that reads the governance events of all vaults that are active or paused, or were active before. */
const indexControlEventsJob: Job = {
  name: "watch_controls",
  run: async (ctx) => ({ ...(await indexGovernanceEvents(ctx)) }),
};

/** Job that applies the signal rules to all vaults that are active or paused, or were active before. */
const raiseSignalsJob: Job = {
  name: "judge_vaults",
  run: async (ctx) => ({ ...(await raiseSignals(ctx)) }),
};

/** Job that deletes expired idempotency keys with the stored responses of their builds. */
export const deleteOldAnswersJob: Job = {
  name: "forget_answers",
  run: async (ctx) => ({ forgotten: await deleteExpiredAnswers(ctx) }),
};

/** Job that deletes old deposits and withdrawals that were never sent. */
const deleteUnsentJob: Job = {
  name: "forget_unsent",
  run: async (ctx) => ({ forgotten: await deleteUnsent(ctx) }),
};

/**
 * The jobs of each cron trigger in wrangler.toml. The lists of a trigger run concurrently, so a slow list does not
 * delay the others. The jobs within a list run in order.
 */
export const jobsByCron: Readonly<Record<string, readonly (readonly Job[])[]>> = {
  "* * * * *": [[followDepositsJob], [indexFlowsJob, proveVaultsJob]],
  "*/5 * * * *": [
    [takeSnapshotsJob, indexControlEventsJob, raiseSignalsJob, discoverVaultsJob],
    [deleteOldAnswersJob, deleteUnsentJob],
  ],
};

/**
 * Runs the jobs of a cron trigger as `runJobs` does. `cron` is a key of `jobsByCron`; any other text does nothing.
 * Throws the first error of a job once all jobs have ended.
 */
export function handleCron(cron: string, makeContext: () => Context): Promise<void> {
  return runJobs(jobsByCron[cron] ?? [], makeContext);
}

/**
 * Runs the lists concurrently and the jobs of a list in order, each with its own context and lock. A job whose lock
 * another run holds is skipped. A failed job does not stop the others: the first error is thrown once all have ended.
 */
export async function runJobs(lists: readonly (readonly Job[])[], makeContext: () => Context): Promise<void> {
  const failures: unknown[] = [];
  const runList = async (jobs: readonly Job[]): Promise<void> => {
    for (const job of jobs) {
      await runJob(makeContext(), job).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(lists.map(runList));
  if (failures.length > 0) throw failures[0];
}

async function runJob(ctx: Context, { name, run }: Job): Promise<void> {
  const startedAt = ctx.now();
  const line = () => ({ job: name, ms: ctx.now() - startedAt });
  const record = (outcome: { ok: boolean; code: string | null } | null): Promise<void> =>
    recordJobRun(ctx, {
      name,
      started_at: new Date(startedAt).toISOString(),
      ended_at: outcome === null ? null : new Date(ctx.now()).toISOString(),
      ok: outcome?.ok ?? null,
      code: outcome?.code ?? null,
    });
  const work = async (lease: HeldLease): Promise<LogFields> => {
    await record(null);
    try {
      const done = await run(whileHeld(ctx, lease));
      await record({ ok: true, code: null });
      return done;
    } catch (error) {
      await record({ ok: false, code: codeOf(error) });
      throw error;
    }
  };
  try {
    const done = await ctx.withLock({ key: `job:${name}`, work });
    ctx.log.info("job", { ...line(), ok: true, busy: done === null, ...done });
  } catch (error) {
    ctx.log.error("job", { ...line(), ok: false, code: codeOf(error), error: describeError(error) });
    throw error;
  }
}

const codeOf = (error: unknown): string => (error instanceof AppError ? error.code : "internal");

/** Returns a context whose database rejects statements once this run has found that it lost the job's lock. */
function whileHeld(ctx: Context, lease: HeldLease): Context {
  return {
    ...ctx,
    db: {
      run: (statement) => {
        if (lease.isHeld()) return ctx.db.run(statement);
        return Promise.reject(failure("store_unavailable", "another run has taken the lock of this job"));
      },
    },
  };
}

/** A batch of messages from a Cloudflare queue, with the fields that are used: the queue's name and the messages. */
export interface QueueBatch {
  readonly queue: string;
  readonly messages: readonly QueueMessage[];
}

interface QueueMessage {
  readonly body: unknown;
  ack(): void;
  retry(): void;
}

/** Matches the name of a dead-letter queue, which receives messages that failed too often. */
const DEAD_LETTER_QUEUE = /-dead$/;
/** Matches the names of queues for tracking deposits and withdrawals, for vault proofs and for registers. */
const FOLLOWING_QUEUE = /-following$/;

/** Handler of the messages of one queue. */
interface MessageWork {
  job: string;
  run(ctx: Context, body: unknown): Promise<LogFields>;
  /** True if a failed message is delivered again; otherwise a later cron run repeats its work. */
  retries: boolean;
}

const BACKFILL: MessageWork = { job: "backfill_flows", run: runBackfillMessage, retries: true };
// Not retried: the next round reads the same blocks, and leases of deposits and of vaults' proofs expire.
const FOLLOW: MessageWork = { job: "follow_message", run: runFollowMessage, retries: false };

/**
 * Handles queue messages one by one and logs the result of each. Only a failed backfill message is delivered again.
 * Messages of a dead-letter queue are only logged. Errors of the work do not propagate.
 */
export async function handleMessages(batch: QueueBatch, makeContext: () => Context): Promise<void> {
  for (const message of batch.messages) {
    const ctx = makeContext();
    if (DEAD_LETTER_QUEUE.test(batch.queue)) {
      ctx.log.error("dead_letter", { queue: batch.queue, body: JSON.stringify(message.body) });
      message.ack();
    } else await handleMessage(ctx, { message, work: FOLLOWING_QUEUE.test(batch.queue) ? FOLLOW : BACKFILL });
  }
}

async function handleMessage(
  ctx: Context,
  { message, work }: { message: QueueMessage; work: MessageWork },
): Promise<void> {
  const startedAt = ctx.now();
  const line = () => ({ job: work.job, ms: ctx.now() - startedAt });
  try {
    const done = await work.run(ctx, message.body);
    ctx.log.info("job", { ...line(), ok: true, ...done });
    message.ack();
  } catch (error) {
    ctx.log.error("job", { ...line(), ok: false, code: codeOf(error), error: describeError(error) });
    if (work.retries) message.retry();
    else message.ack();
  }
}
