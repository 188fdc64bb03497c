import { describe, expect, test } from "vitest";
import type { Cache, CachePolicy } from "../../src/redis/cache.ts";
import { ownTheClock, pass, STALE, type Value, value, world } from "../support/redis/cache-world.ts";

ownTheClock();
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

describe("a crowd in front of a source that is down", () => {
  test("with nothing to serve: one load, and everybody gets its failure", async () => {
    const { source, isolate } = world();
    source.ms = 500;
    source.failure = down;
    expect(await outcomes(isolate(), source.policy())).toEqual(Array(100).fill(down));
    expect(source.loads).toBe(1);
  });

  test("with Redis down, too: one load", async () => {
    const { redis, source, isolate } = world();
    redis.down = true;
    source.ms = 500;
    source.failure = down;
    expect(await outcomes(isolate(), source.policy())).toEqual(Array(100).fill(down));
    expect(source.loads).toBe(1);
  });

  test("with a last good value: one load, and everybody gets that value, marked stale", async () => {
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

  test("nobody tries again for two seconds, then one does", async () => {
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

  test("other isolates do not wait for a load that has failed already", async () => {
    const { redis, source, isolate } = world();
    source.failure = down;
    await isolate()()
      .cached(source.policy())
      .catch(() => undefined);
    await pass(0);
    expect(redis.peek("lock:k")).toBe(null);
  });
});
