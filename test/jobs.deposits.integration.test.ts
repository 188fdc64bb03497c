import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type EmbeddedDatabase, openEmbeddedDatabase } from "./support/following/deployment.ts";
import { playSchedule, type Tally } from "./support/following/schedule.ts";

/** More of them run under `npm run stress`. */
const SCHEDULES = Number(process.env["FOLLOWING_SCHEDULES"] ?? "12");
const FIRST = Number(process.env["FOLLOWING_SEED"] ?? "1");
/** Schedules that may fail before the test gives up; each is printed. */
const FAILURES = Number(process.env["FOLLOWING_FAILURES"] ?? "1");

let database: EmbeddedDatabase;
beforeAll(async () => {
  database = await openEmbeddedDatabase();
});
afterAll(async () => {
  vi.useRealTimers();
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
      const tally = await playSchedule(seed, { database, setTime: (now) => vi.setSystemTime(now) });
      for (const name of Object.keys(tally) as (keyof Tally)[]) sum[name] = (sum[name] ?? 0) + tally[name];
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  console.log(JSON.stringify(sum));
  expect(failures).toEqual([]);
  // Schedules in which nothing happens would prove nothing.
  for (const name of ["completed", "reorgs", "killed", "reports", "steals", "abandoned"] as const)
    expect(sum[name], name).toBeGreaterThan(SCHEDULES / 4);
});
