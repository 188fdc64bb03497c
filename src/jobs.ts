import type { Context } from "./context.ts";
import { deleteExpiredAnswers } from "./deposits/build/idempotency.ts";
import { pollDueDeposits } from "./deposits/track/poller.ts";
import { AppError } from "./errors.ts";
import { BackfillMessage, backfillFromMessage } from "./flows/backfill.ts";
import { indexControlEvents } from "./flows/index-control-events.ts";
import { indexAllChains } from "./flows/index-flows.ts";
import { takeSnapshots } from "./history/take-snapshots.ts";
import { countBlocks } from "./lib/blocks.ts";
import { describeError, type LogFields } from "./lib/logger.ts";
import { raiseSignals } from "./signals/raise-signals.ts";

/** Work that a clock starts. */
export interface Job {
  name: string;
  /** How long nobody else starts it, milliseconds; it ends before. */
  lockMs: number;
  /** Does a bounded part of the work, and tells for the log what it did. */
  run(ctx: Context): Promise<LogFields>;
}

/** Moves deposits that nobody polls. */
const trackDepositsJob: Job = {
  name: "follow_deposits",
  lockMs: 90_000,
  run: async (ctx) => ({ ...(await pollDueDeposits(ctx)) }),
};

/** Brings every chain's flows up to its head. */
export const indexFlowsJob: Job = {
  name: "index_flows",
  lockMs: 120_000,
  run: async (ctx) => ({ ...(await indexAllChains(ctx)) }),
};

/** Reads the part of a chain's history that a message of the queue names. Throws a ZodError for any other message. */
async function runBackfillMessage(ctx: Context, body: unknown): Promise<LogFields> {
  const part = BackfillMessage.parse(body);
  const { blocks, rows, left } = await backfillFromMessage(ctx, part);
  return { ...part, blocks, rows, left: countBlocks(left) };
}

/** Notes what every vault says of itself. */
const takeSnapshotsJob: Job = {
  name: "note_snapshots",
  lockMs: 120_000,
  run: async (ctx) => ({ ...(await takeSnapshots(ctx)) }),
};

/** Reads what vaults tell of those who govern them. */
const indexControlEventsJob: Job = {
  name: "watch_controls",
  lockMs: 120_000,
  run: async (ctx) => ({ ...(await indexControlEvents(ctx)) }),
};

/** Judges every vault by what is stored of it. */
const raiseSignalsJob: Job = {
  name: "judge_vaults",
  lockMs: 120_000,
  run: async (ctx) => ({ ...(await raiseSignals(ctx)) }),
};

/** Removes answers of builds that nobody can ask for again. */
export const deleteOldAnswersJob: Job = {
  name: "forget_answers",
  lockMs: 60_000,
  run: async (ctx) => ({ forgotten: await deleteExpiredAnswers(ctx) }),
};

/**
 * What each cron trigger of wrangler.toml starts: lists that run at the same time, so that a slow one holds up no other;
 * the jobs of one list need what those before them did.
 */
export const jobsByCron: Readonly<Record<string, readonly (readonly Job[])[]>> = {
  "* * * * *": [[trackDepositsJob], [indexFlowsJob]],
  "*/5 * * * *": [[takeSnapshotsJob, indexControlEventsJob, raiseSignalsJob], [deleteOldAnswersJob]],
};

/** Runs what a cron trigger starts, see `runJobs`; an unknown trigger starts nothing. */
export function handleCron(cron: string, makeContext: () => Context): Promise<void> {
  return runJobs(jobsByCron[cron] ?? [], makeContext);
}

/**
 * Runs the jobs of a cron trigger, the lists at the same time and the jobs of a list one after the other, each under
 * its lock and with one line in the log; one that fails keeps no other from running. Gives each a context of its own.
 * Throws the first failure when all are done.
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

async function runJob(ctx: Context, { name, lockMs, run }: Job): Promise<void> {
  const startedAt = ctx.now();
  const line = () => ({ job: name, ms: ctx.now() - startedAt });
  const { log } = ctx;
  try {
    const done = await ctx.withLock({ key: `job:${name}`, ttlMs: lockMs, work: () => run(ctx) });
    log.info("job", { ...line(), ok: true, busy: done === null, ...done });
  } catch (error) {
    const code = error instanceof AppError ? error.code : "internal";
    log.error("job", { ...line(), ok: false, code, error: describeError(error) });
    throw error;
  }
}

/** What is used of a batch of messages. */
export interface QueueBatch {
  readonly queue: string;
  readonly messages: readonly QueueMessage[];
}

interface QueueMessage {
  readonly body: unknown;
  ack(): void;
  retry(): void;
}

/** Messages that failed too often end in a queue of this name. */
const DEAD_LETTER_QUEUE = /-dead$/;

/**
 * Does the work that messages name, each on its own and with one line in the log; what fails is delivered again.
 * Dead letters are only logged: the next round over the chain hands their work out anew. Never throws.
 */
export async function handleMessages(batch: QueueBatch, makeContext: () => Context): Promise<void> {
  for (const message of batch.messages) {
    const ctx = makeContext();
    if (DEAD_LETTER_QUEUE.test(batch.queue)) {
      ctx.log.error("dead_letter", { queue: batch.queue, body: JSON.stringify(message.body) });
      message.ack();
    } else await handleMessage(ctx, message);
  }
}

async function handleMessage(ctx: Context, message: QueueMessage): Promise<void> {
  const startedAt = ctx.now();
  const line = () => ({ job: "backfill_flows", ms: ctx.now() - startedAt });
  try {
    const done = await runBackfillMessage(ctx, message.body);
    ctx.log.info("job", { ...line(), ok: true, ...done });
    message.ack();
  } catch (error) {
    ctx.log.error("job", { ...line(), ok: false, error: describeError(error) });
    message.retry();
  }
}
