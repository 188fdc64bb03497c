import { writeSync } from "node:fs";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type EmbeddedDatabase, openEmbeddedDatabase } from "./support/following/embedded-database.ts";
import { playLoad } from "./support/following-load/load.ts";
import { summarize } from "./support/following-load/load-report.ts";

/** Settings of a long run under `npm run stress`, as JSON; by default a short one. */
const SETTINGS = process.env["FOLLOWING_LOAD"] ?? null;
const SERVER = process.env["FOLLOWING_DATABASE"] ?? null;
/** Latency that 95 of 100 deposits must keep, in seconds. */
const MOST_S = 60;

const usual = {
  ...{ seed: 1, rate: 2, seconds: 45, pause: 0, unsent: 200, chains: 3, grace: 150, strangers: 0.5 },
  ...{
    allJobs: false,
    disturbed: false,
    latencies: { rpc: 150, db: 5, redis: 10, provider: 300, queue: 20 },
  },
};

/** Prints at once, past the test runner. */
const say = (text: string): unknown => writeSync(2, `${text}\n`);

let database: EmbeddedDatabase;
beforeAll(async () => {
  database = await openEmbeddedDatabase(SERVER);
});
afterAll(async () => {
  vi.useRealTimers();
  await database.close();
});

test("deposits that arrive steadily are done with the chain's shares within a minute", {
  timeout: 36_000_000,
}, async () => {
  const options = { ...usual, ...(SETTINGS === null ? {} : (JSON.parse(SETTINGS) as Partial<typeof usual>)) };
  vi.useFakeTimers({ toFake: ["Date"] });
  const setTime = (now: number): unknown => vi.setSystemTime(now);
  const before = process.cpuUsage();
  const result = await playLoad(options, {
    database,
    setTime,
    say: SETTINGS === null ? () => undefined : say,
  });
  const { user, system } = process.cpuUsage(before);
  const { lines, ...summary } = summarize(result);
  const cpuMs = (user + system) / 1000 / summary.sent;
  if (SETTINGS !== null)
    say([...lines, `${cpuMs.toFixed(1)} ms of processor time per deposit, simulation included`].join("\n"));
  expect(result.verdict.wrong).toEqual([]);
  expect(result.scans).toEqual([]);
  expect(summary.sent).toBeGreaterThan(options.rate * options.seconds * 0.9);
  // A reorg may deliver the token of a second step again.
  if (!options.disturbed) expect(summary.open).toBe(0);
  expect(summary.running.p95).toBeLessThanOrEqual(MOST_S);
});
