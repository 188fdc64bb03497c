import type { Redis } from "@upstash/redis/cloudflare";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createLogger } from "../../src/lib/logger.ts";
import { Timing } from "../../src/lib/outside-call-timing.ts";
import { createLimiter, LimiterMemory } from "../../src/redis/redis-limiter.ts";

const window = { name: "build", subject: "client:192.0.2.1", limit: 3 };

/** A limiter over a Redis that answers its script as told. */
function limiterOf(answer: () => Promise<unknown>, platform = new Map()) {
  const logged: Record<string, unknown>[] = [];
  let now = 0;
  const limiter = createLimiter({ eval: answer } as unknown as Redis, {
    prefix: "cw",
    timing: new Timing(() => now),
    log: createLogger((line) => logged.push(JSON.parse(line)), {}),
    now: () => now,
    memory: new LimiterMemory(),
    platform,
  });
  return { limiter, logged, pass: (ms: number) => (now += ms) };
}

describe("countExactly()", () => {
  test("admits up to the limit and returns the remaining requests", async () => {
    const counts = async (count: number) =>
      limiterOf(async () => [count, 42_000]).limiter.countExactly(window);
    expect(await Promise.all([1, 2, 3, 4, 99].map(counts))).toEqual([
      { admitted: true, remaining: 2, resetMs: 42_000 },
      { admitted: true, remaining: 1, resetMs: 42_000 },
      { admitted: true, remaining: 0, resetMs: 42_000 },
      { admitted: false, remaining: 0, resetMs: 42_000 },
      { admitted: false, remaining: 0, resetMs: 42_000 },
    ]);
  });

  test("parses numbers that Redis returns as text", async () => {
    const { limiter } = limiterOf(async () => ["2", "1000"]);
    expect(await limiter.countExactly(window)).toMatchObject({ remaining: 1 });
  });

  test.each<[string, () => Promise<unknown>]>([
    ["no answer", async () => undefined],
    ["null", async () => null],
    ["a text", async () => "5"],
    ["half an answer", async () => [1]],
    ["no numbers", async () => ["a", "b"]],
    ["a failure", () => Promise.reject(new Error("connect to https://redis.example/token failed"))],
  ])("returns null and logs on %s, so that the request is admitted", async (_what, answer) => {
    const { limiter, logged } = limiterOf(answer);
    expect(await limiter.countExactly(window)).toBe(null);
    expect(logged).toMatchObject([{ event: "limit_not_counted", limit: "build" }]);
    expect(JSON.stringify(logged)).not.toContain("redis.example");
  });
});

describe("countNearby()", () => {
  test("admits the limit per minute without a platform limiter", async () => {
    const { limiter, pass } = limiterOf(async () => null);
    const admitted = async () => (await limiter.countNearby(window)).admitted;
    expect([await admitted(), await admitted(), await admitted(), await admitted()]).toEqual([
      true,
      true,
      true,
      false,
    ]);
    pass(59_999);
    expect(await admitted()).toBe(false);
    pass(1);
    expect(await admitted()).toBe(true);
  });

  test("counts subjects and limits separately", async () => {
    const { limiter } = limiterOf(async () => null);
    for (let i = 0; i < 4; i += 1) await limiter.countNearby(window);
    for (const other of [
      { ...window, subject: "x" },
      { ...window, name: "reads" },
    ])
      expect((await limiter.countNearby(other)).admitted).toBe(true);
  });

  test("asks the platform's limiter of this limit, and admits when it fails", async () => {
    const platform = new Map([[3, { limit: () => Promise.reject(new Error("down")) }]]);
    const { limiter, logged } = limiterOf(async () => null, platform);
    for (let i = 0; i < 9; i += 1) expect((await limiter.countNearby(window)).admitted).toBe(true);
    expect(logged).toHaveLength(9);
    expect((await limiter.countNearby({ ...window, limit: 1 })).admitted).toBe(true);
    expect((await limiter.countNearby({ ...window, limit: 1 })).admitted).toBe(false);
  });

  test("never admits more than the limit in any window that began with a request", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(30_000), { maxLength: 200 }),
        fc.integer({ min: 1, max: 20 }),
        (gaps, limit) => {
          const memory = new LimiterMemory();
          let now = 0;
          const starts: { at: number; admitted: number }[] = [];
          for (const gap of gaps) {
            now += gap;
            const { count, resetMs } = memory.count({ ...window, limit }, now);
            if (count === 1) starts.push({ at: now, admitted: 0 });
            const running = starts.at(-1);
            if (running === undefined) throw new Error("no window");
            expect(resetMs).toBe(running.at + 60_000 - now);
            if (count <= limit) running.admitted += 1;
            expect(running.admitted).toBeLessThanOrEqual(limit);
          }
          for (const [i, { at }] of starts.entries())
            expect(at - (starts[i - 1]?.at ?? -60_000)).toBeGreaterThanOrEqual(60_000);
        },
      ),
    );
  });

  test("evicts the oldest of very many subjects", () => {
    const memory = new LimiterMemory();
    for (let i = 0; i < 25_000; i += 1) memory.count({ ...window, subject: String(i) }, 0);
    expect(memory.count({ ...window, subject: "24999" }, 0).count).toBe(2);
    expect(memory.count({ ...window, subject: "0" }, 0).count).toBe(1);
  });
});
