import { describe, expect, test } from "vitest";
import type { Cache, CachePolicy } from "../../src/redis/two-level-cache.ts";
import { installFakeClock, pass, STALE, type Value, value, world } from "../support/redis/cache-world.ts";

installFakeClock();
const down = new Error("the chain is down");

/** What became of a hundred callers at once: each one's value, or its failure. */
async function outcomes(isolate: () => Cache, policy: CachePolicy<Value>): Promise<unknown[]> {
  const asked = Array.from({ length: 100 }, () =>
    isolate()
      .cached(policy)
      .catch((error: unknown) => error),
  );
  const all = Promise.all(asked);
  await pass(10_000);
  return all;
}

describe("cached() with many callers while the source is down", () => {
  test("loads once and gives every caller the error when there is no value", async () => {
    const { source, isolate } = world();
    source.ms = 500;
    source.failure = down;
    expect(await outcomes(isolate(), source.policy())).toEqual(Array(100).fill(down));
    expect(source.loads).toBe(1);
  });

  test("loads once while Redis is down too", async () => {
    const { redis, source, isolate } = world();
    redis.down = true;
    source.ms = 500;
    source.failure = down;
    expect(await outcomes(isolate(), source.policy())).toEqual(Array(100).fill(down));
    expect(source.loads).toBe(1);
  });

  test("loads once and serves the last value to all, marked stale", async () => {
    const { source, isolate } = world();
    const requests = isolate();
    await requests().cached(source.policy());
    await pass(STALE);
    source.ms = 500;
    source.failure = down;
    const served = await outcomes(requests, source.policy());
    expect(served).toEqual(Array(100).fill(expect.objectContaining({ value: value(1), stale: true })));
    expect(source.loads).toBe(1 + 1);
  });

  test("retries after two seconds, once", async () => {
    const { source, isolate } = world();
    const requests = isolate();
    source.failure = down;
    await expect(requests().cached(source.policy())).rejects.toBe(down);
    await pass(1_999);
    await expect(requests().cached(source.policy())).rejects.toBe(down);
    expect(source.loads).toBe(1);
    await pass(1);
    source.failure = null;
    expect((await requests().cached(source.policy())).value).toEqual(value(2));
  });

  test("does not let other isolates wait for a failed load", async () => {
    const { redis, source, isolate } = world();
    source.failure = down;
    await isolate()()
      .cached(source.policy())
      .catch(() => undefined);
    await pass(0);
    expect(redis.peek("lock:k")).toBe(null);
  });
});
