import type { Context } from "./context.ts";
import { AppError } from "./errors.ts";
import type { Job } from "./jobs/job.ts";
import { jobsByCron } from "./jobs/schedule.ts";
import { describeError } from "./lib/log.ts";
import { withLock } from "./redis/lock.ts";

/** Runs what a cron trigger starts, see `runJobs`; an unknown trigger starts nothing. */
export function runCron(cron: string, makeContext: () => Context): Promise<void> {
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
  const { redis, log } = ctx;
  try {
    const lock = { key: `job:${name}`, ttlMs: lockMs, work: () => run(ctx) };
    const done = await withLock({ redis, log, token: ctx.randomId() }, lock);
    log.info("job", { ...line(), ok: true, busy: done === null, ...done });
  } catch (error) {
    const code = error instanceof AppError ? error.code : "internal";
    log.error("job", { ...line(), ok: false, code, error: describeError(error) });
    throw error;
  }
}
