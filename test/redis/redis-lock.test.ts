import { afterEach, describe, expect, test, vi } from "vitest";
import { createLogger } from "../../src/lib/logger.ts";
import { type LockedWork, withLock } from "../../src/redis/redis-lock.ts";
import { MemoryStore } from "../support/redis/memory-store.ts";

function world() {
  let now = 0;
  const redis = new MemoryStore(() => now);
  const lines: string[] = [];
  const log = createLogger((line) => lines.push(line), {});
  const hold = (token: string, work: LockedWork<unknown>["work"]) =>
    withLock({ redis, log, token }, { key: "job:one", work });
  const pass = (ms: number) => {
    now += ms;
  };
  return { redis, lines, hold, pass };
}

afterEach(() => void vi.useRealTimers());

describe("withLock()", () => {
  test("keeps the lock while the work goes on, and loses it 20 seconds after a holder was killed", async () => {
    vi.useFakeTimers();
    const { hold, pass } = world();
    let kill = () => {};
    const long = hold("long", () => new Promise<void>((resolve) => (kill = resolve)));
    for (let second = 0; second < 90; second += 5) {
      pass(5_000);
      await vi.advanceTimersByTimeAsync(5_000);
      expect(await hold("other", async () => 1)).toBeNull();
    }
    // A killed run renews nothing, and releases nothing.
    vi.clearAllTimers();
    pass(19_999);
    expect(await hold("other", async () => 1)).toBeNull();
    pass(1);
    expect(await hold("other", async () => 1)).toBe(1);
    kill();
    await long;
  });

  test("tells the work when another holder has taken the lock, and not when Redis does not answer", async () => {
    vi.useFakeTimers();
    const { redis, hold, pass } = world();
    const held: boolean[] = [];
    let finish = () => {};
    const work = hold("a", async (lease) => {
      await new Promise<void>((resolve) => (finish = resolve));
      held.push(lease.isHeld());
    });
    redis.down = true;
    await vi.advanceTimersByTimeAsync(5_000);
    finish();
    await work;
    redis.down = false;
    pass(20_001);
    const taken = hold("a", async (lease) => {
      await redis.set("lock:job:one", "somebody else", 20_000);
      await new Promise<void>((resolve) => (finish = resolve));
      held.push(lease.isHeld());
    });
    await vi.advanceTimersByTimeAsync(5_000);
    finish();
    await taken;
    expect(held).toEqual([true, false]);
    expect(redis.peek("lock:job:one")).toMatchObject({ value: "somebody else" });
  });

  test("lets one holder work at a time", async () => {
    const { hold } = world();
    const inner: unknown[] = [];
    const outer = await hold("a", async () => {
      inner.push(await hold("b", async () => "both"));
      return "done";
    });
    expect([outer, inner]).toEqual(["done", [null]]);
    expect(await hold("b", async () => "after")).toBe("after");
  });

  test("releases the lock when the work throws, and rethrows", async () => {
    const { hold } = world();
    const failing = async () => {
      throw new Error("no");
    };
    await expect(hold("a", failing)).rejects.toThrow("no");
    expect(await hold("b", async () => 1)).toBe(1);
  });

  test("expires, and a late holder does not release the next one's lock", async () => {
    const { hold, pass } = world();
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let next: Promise<unknown> | null = null;
    await hold("slow", async () => {
      pass(20_001);
      next = hold("next", () => finished);
    });
    expect(await hold("third", async () => 1)).toBeNull();
    finish();
    await next;
    expect(await hold("third", async () => 1)).toBe(1);
  });

  test("works without the lock when Redis is down", async () => {
    const { redis, lines, hold } = world();
    redis.down = true;
    expect(await hold("a", async () => "worked")).toBe("worked");
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain("lock_unavailable");
  });
});
