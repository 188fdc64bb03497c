import { writeSync } from "node:fs";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type EmbeddedDatabase, openEmbeddedDatabase } from "./support/following/embedded-database.ts";
import { playSchedule, type Tally } from "./support/following/schedule.ts";
import { suspendDeadlines } from "./support/patient-deadlines.ts";

/** More of them run under `npm run stress`. */
const SCHEDULES = Number(process.env["FOLLOWING_SCHEDULES"] ?? "12");
const FIRST = Number(process.env["FOLLOWING_SEED"] ?? "1");
/** Address of an empty database of a real server, which many schedules are played on; by default the embedded one. */
const SERVER = process.env["FOLLOWING_DATABASE"] ?? null;
/** Of many schedules, only every eighth runs the minute's other jobs too, which deposits do not depend on. */
const ALL_JOBS_EVERY = SERVER === null ? 1 : 8;
/** After how many schedules a long run says how far it is. */
const PROGRESS = 250;
/** Schedules that may fail before the test gives up; each is printed. */
const FAILURES = Number(process.env["FOLLOWING_FAILURES"] ?? "1");

/** Prints at once, past the test runner: a long run may be ended before it gives up. */
const say = (text: string): unknown => writeSync(2, `${text}\n`);

let database: EmbeddedDatabase;
let restoreDeadlines = (): void => undefined;
beforeAll(async () => {
  restoreDeadlines = suspendDeadlines();
  database = await openEmbeddedDatabase(SERVER);
});
afterAll(async () => {
  vi.useRealTimers();
  restoreDeadlines();
  await database.close();
});

test(`deposits are what the chains say after ${SCHEDULES} random schedules`, {
  timeout: 36_000_000,
}, async () => {
  const sum: Partial<Record<keyof Tally, number>> = {};
  const failures: string[] = [];
  vi.useFakeTimers({ toFake: ["Date"] });
  for (let seed = FIRST; seed < FIRST + SCHEDULES && failures.length < FAILURES; seed += 1) {
    try {
      const allJobs = seed % ALL_JOBS_EVERY === 0;
      const setTime = (now: number): unknown => vi.setSystemTime(now);
      const tally = await playSchedule(seed, { database, setTime, allJobs });
      for (const name of Object.keys(tally) as (keyof Tally)[]) sum[name] = (sum[name] ?? 0) + tally[name];
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      failures.push(text);
      say(text);
    }
    const played = seed - FIRST + 1;
    if (played % PROGRESS === 0) say(`${played} schedules played, ${failures.length} failed`);
  }
  console.log(JSON.stringify(sum));
  expect(failures).toEqual([]);
  // Schedules in which nothing happens would prove nothing.
  for (const name of ["completed", "reorgs", "killed", "reports", "steals", "abandoned"] as const)
    expect(sum[name], name).toBeGreaterThan(SCHEDULES / 4);
});
