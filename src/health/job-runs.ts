import * as z from "zod";
import type { Context } from "../context.ts";
import { describeError } from "../lib/logger.ts";

/** Names of the background jobs, as health details and log lines show them. */
export const jobNames = [
  "follow_deposits",
  "index_flows",
  "prove_vaults",
  "discover_vaults",
  "note_snapshots",
  "watch_controls",
  "judge_vaults",
  "forget_answers",
  "forget_unsent",
] as const;
/** Name of a background job. */
export type JobName = (typeof jobNames)[number];

const Run = z.object({
  started_at: z.string(),
  ended_at: z.string().nullable(),
  ok: z.boolean().nullable(),
  code: z.string().nullable(),
});
/**
 * The last run of a background job. `ended_at` and `ok` are null until its end is recorded; `code` is the error code of
 * a failed run, otherwise null. Times are RFC 3339.
 */
export type JobRun = z.infer<typeof Run>;

/** Name and last run of a background job. The run's fields are null if no run is known. */
export type JobHealth = { name: JobName } & { [K in keyof JobRun]: JobRun[K] | null };

/**
 * Stores the last run of a job in Redis, without expiry. Redis is used so that a run that failed because of the
 * database is recorded too. Never throws: a failure is logged.
 */
export async function recordJobRun(
  ctx: Context,
  { name, ...run }: { name: JobName } & JobRun,
): Promise<void> {
  try {
    await ctx.redis.set(keyOf(name), JSON.stringify(run), null);
  } catch (error) {
    ctx.log.warn("job_run_unrecorded", { job: name, error: describeError(error) });
  }
}

/**
 * Returns the last run of every background job, in the order of `jobNames`. Never throws: the fields of a run that is
 * unknown or cannot be read are null.
 */
export function readJobRuns(ctx: Context): Promise<JobHealth[]> {
  return Promise.all(
    jobNames.map(async (name) => {
      const text = await ctx.redis.get(keyOf(name)).catch(() => null);
      const run = text === null ? null : parseRun(text);
      return { name, ...(run ?? { started_at: null, ended_at: null, ok: null, code: null }) };
    }),
  );
}

const keyOf = (name: JobName): string => `job-run:${name}`;

function parseRun(text: string): JobRun | null {
  try {
    return Run.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
