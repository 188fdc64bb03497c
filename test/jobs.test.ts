import { describe, expect, test, vi } from "vitest";
import type { Database } from "../src/db/database-client.ts";
import { failure } from "../src/errors.ts";
import { readJobRuns } from "../src/health/job-runs.ts";
import type { Job } from "../src/jobs.ts";
import { runJobs } from "../src/jobs.ts";
import { type TestContext, testContext } from "./support/context.ts";

const job = (name: string, run: Job["run"]): Job => ({ name: name as Job["name"], run });
const works = (name: string) => job(name, async () => ({ did: name }));
const fails = (name: string) =>
  job(name, async () => {
    throw failure("store_unavailable", "the database did not answer");
  });

/** Runs jobs in contexts of their own over one store, and gives what each logged. */
async function run(jobs: readonly Job[]) {
  const contexts: TestContext[] = [];
  const make = () => {
    const [first] = contexts;
    const made = first === undefined ? testContext() : { ...testContext(), withLock: first.withLock };
    contexts.push(made);
    return made;
  };
  const outcome = await runJobs([jobs], make).catch((error: unknown) => error);
  return { outcome, lines: contexts.flatMap(({ logged }) => logged), contexts };
}

describe("runJobs()", () => {
  test("runs each in a context of its own and writes one line for it", async () => {
    const { outcome, lines, contexts } = await run([works("a"), works("b")]);
    expect(outcome).toBeUndefined();
    expect(contexts).toHaveLength(2);
    expect(lines).toMatchObject([
      { event: "job", level: "info", job: "a", ok: true, busy: false, did: "a" },
      { event: "job", level: "info", job: "b", ok: true, busy: false, did: "b" },
    ]);
  });

  test("goes on after one that fails, and then fails with it", async () => {
    const { outcome, lines } = await run([fails("a"), works("b")]);
    expect(outcome).toMatchObject({ code: "store_unavailable" });
    expect(lines).toMatchObject([
      {
        level: "error",
        job: "a",
        ok: false,
        code: "store_unavailable",
        error: "the database did not answer",
      },
      { level: "info", job: "b", ok: true },
    ]);
  });

  test("runs lists independently: each waits for its own jobs only", async () => {
    const done: string[] = [];
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const notes = (name: string, work: () => Promise<void> | void) =>
      job(name, async () => {
        await work();
        done.push(name);
        return {};
      });
    const slow = [notes("slow", () => released), notes("after slow", () => undefined)];
    const quick = [notes("quick", () => undefined), notes("after quick", () => undefined)];
    await runJobs(
      [slow, [...quick, job("release", async () => ({ released: release() === undefined }))]],
      () => testContext(),
    );
    expect(done).toEqual(["quick", "after quick", "slow", "after slow"]);
  });

  test("logs unexpected errors without the secrets in their messages", async () => {
    const key = "https://rpc.example/v2/0123456789abcdef";
    const leaks = job("a", async () => {
      throw new Error("fetch failed", { cause: new Error(`no answer from ${key}`) });
    });
    const { lines } = await run([leaks]);
    expect(lines).toMatchObject([
      { ok: false, code: "internal", error: "fetch failed <- no answer from [redacted]" },
    ]);
    expect(JSON.stringify(lines)).not.toContain("rpc.example");
  });

  test("skips a job whose lock is held elsewhere", async () => {
    let inner: unknown[] = [];
    const shared = testContext();
    const again = job("a", async () => ({ twice: true }));
    const outer = job("a", async () => {
      await runJobs([[again]], () => shared);
      inner = [...shared.logged];
      return { did: "a" };
    });
    await runJobs([[outer]], () => shared);
    expect(inner).toMatchObject([{ job: "a", busy: true }]);
    expect(inner[0]).not.toHaveProperty("twice");
    expect(shared.logged.at(-1)).toMatchObject({ job: "a", busy: false, did: "a" });
  });

  test("records the last run of each job, with the code of its failure", async () => {
    const { contexts } = await run([fails("index_flows"), works("judge_vaults")]);
    const at = "2023-11-14T22:13:20.000Z";
    const [first, second] = contexts;
    if (first === undefined || second === undefined) throw new Error("no runs");
    expect((await readJobRuns(first)).filter(({ ok }) => ok !== null)).toEqual([
      { name: "index_flows", started_at: at, ended_at: at, ok: false, code: "store_unavailable" },
    ]);
    expect((await readJobRuns(second)).filter(({ ok }) => ok !== null)).toEqual([
      { name: "judge_vaults", started_at: at, ended_at: at, ok: true, code: null },
    ]);
  });

  test("shows a run that has not ended, and works where runs cannot be recorded", async () => {
    const shared = testContext();
    const seen: unknown[] = [];
    const looks = job("index_flows", async () => {
      seen.push(...(await readJobRuns(shared)).filter(({ started_at }) => started_at !== null));
      shared.redis.down = true;
      return { did: 1 };
    });
    await runJobs([[looks]], () => shared);
    expect(seen).toMatchObject([{ name: "index_flows", ended_at: null, ok: null, code: null }]);
    expect(shared.logged.find(({ event }) => event === "job")).toMatchObject({ ok: true, did: 1 });
    expect((await readJobRuns(shared)).every(({ started_at }) => started_at === null)).toBe(true);
  });

  test("refuses statements of a run whose lock another run has taken", async () => {
    vi.useFakeTimers();
    const asked: string[] = [];
    const db = { run: async () => asked.push("statement") } as unknown as Database;
    const shared = testContext({ db });
    const writes = job("index_flows", async (ctx) => {
      await ctx.db.run(async () => "first");
      await shared.redis.set("lock:job:index_flows", "another run", 20_000);
      await vi.advanceTimersByTimeAsync(5_000);
      await ctx.db.run(async () => "second");
      return {};
    });
    const outcome = await runJobs([[writes]], () => shared).catch((error: unknown) => error);
    vi.useRealTimers();
    expect(outcome).toMatchObject({ message: "another run has taken the lock of this job" });
    expect(asked).toHaveLength(1);
  });

  test("does nothing without jobs", async () => {
    expect(await run([])).toMatchObject({ outcome: undefined, lines: [] });
  });
});
