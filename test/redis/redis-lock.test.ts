import { describe, expect, test } from "vitest";
import { createLogger } from "../../src/lib/logger.ts";
import { withLock } from "../../src/redis/redis-lock.ts";
import { MemoryStore } from "../support/redis/memory-store.ts";

function world() {
  let now = 0;
  const redis = new MemoryStore(() => now);
  const lines: string[] = [];
  const log = createLogger((line) => lines.push(line), {});
  const hold = (token: string, work: () => Promise<unknown>) =>
    withLock({ redis, log, token }, { key: "job:one", ttlMs: 1_000, work });
  const pass = (ms: number) => {
    now += ms;
  };
  return { redis, lines, hold, pass };
}

describe("withLock()", () => {
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
      pass(1_001);
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
