import { describe, expect, test } from "vitest";
import { stringifyWithBigints } from "../../src/lib/bigint-json.ts";
import {
  FRESH,
  installFakeClock,
  KEEP,
  LOCK_MS,
  pass,
  readConcurrently,
  STALE,
  value,
  world,
} from "../support/redis/cache-world.ts";

installFakeClock();
const down = new Error("the chain is down");

describe("cached() when a load fails", () => {
  test("fails the caller with its own error when nothing was ever loaded", async () => {
    const { source, isolate } = world();
    source.failure = down;
    await expect(isolate()().cached(source.policy())).rejects.toBe(down);
  });

  test("leaves nothing behind that looks like a value", async () => {
    const { redis, source, isolate } = world();
    const requests = isolate();
    source.failure = down;
    await requests()
      .cached(source.policy())
      .catch(() => undefined);
    expect(redis.peek("cache:k")).toBe(null);
    source.failure = null;
    await pass(LOCK_MS);
    expect((await requests().cached(source.policy())).value.n).toBe(2);
  });

  test("gives the last good value, marked stale, from memory", async () => {
    const { source, isolate, logged } = world();
    const requests = isolate();
    const storedAt = Date.now();
    await requests().cached(source.policy());
    await pass(STALE);
    source.failure = down;
    expect(await requests().cached(source.policy())).toEqual({ value: value(1), storedAt, stale: true });
    expect(logged).toEqual(["cache_load_failed"]);
  });

  test("gives the last good value, marked stale, from Redis", async () => {
    const { source, isolate } = world();
    await isolate()().cached(source.policy());
    await pass(STALE);
    source.failure = down;
    expect(await isolate()().cached(source.policy())).toMatchObject({ value: value(1), stale: true });
  });

  test("gives the newer one of two", async () => {
    const { source, isolate } = world();
    const [a, b] = [isolate(), isolate()];
    await a().cached(source.policy());
    await pass(STALE);
    await b().cached(source.policy());
    await pass(STALE);
    source.failure = down;
    expect(await a().cached(source.policy())).toMatchObject({ value: value(2), stale: true });
  });

  test("gives its own where Redis has only an older one", async () => {
    const { redis, source, isolate } = world();
    const requests = isolate();
    await requests().cached(source.policy());
    await pass(STALE);
    redis.down = true;
    await requests().cached(source.policy());
    await pass(STALE);
    redis.down = false;
    source.failure = down;
    expect(await requests().cached(source.policy())).toMatchObject({ value: value(2), stale: true });
  });

  test("gives nothing that is older than it is kept", async () => {
    const { source, isolate } = world();
    const requests = isolate();
    await requests().cached(source.policy());
    await pass(KEEP - 1);
    source.failure = down;
    expect(await requests().cached(source.policy())).toMatchObject({ value: value(1), stale: true });
    await pass(LOCK_MS);
    const late = requests().cached(source.policy());
    late.catch(() => undefined);
    await pass(1_000);
    await expect(late).rejects.toBe(down);
  });

  test("gives what is kept for good after any time", async () => {
    const { source, isolate } = world();
    const policy = source.policy({ keepMs: null });
    await isolate()().cached(policy);
    await pass(365 * 86_400_000);
    source.failure = down;
    expect(await isolate()().cached(policy)).toMatchObject({ value: value(1), stale: true });
  });

  test("is over with the first load that works", async () => {
    const { source, isolate } = world();
    const requests = isolate();
    await requests().cached(source.policy());
    await pass(STALE);
    source.failure = down;
    await requests().cached(source.policy());
    source.failure = null;
    await pass(LOCK_MS);
    expect(await requests().cached(source.policy())).toMatchObject({ value: value(3), stale: false });
  });
});

describe("cached() while Redis is down", () => {
  test("costs a load, never the answer", async () => {
    const { redis, source, isolate, logged } = world();
    redis.down = true;
    expect(await isolate()().cached(source.policy())).toMatchObject({ value: value(1), stale: false });
    await pass(0);
    expect(new Set(logged)).toEqual(new Set(["cache_read_failed", "cache_write_failed"]));
  });

  test("costs one load per isolate for a crowd, and memory serves on", async () => {
    const { redis, source, isolate } = world();
    redis.down = true;
    const requests = isolate();
    source.ms = 500;
    const waiting = readConcurrently(requests, source.policy());
    await pass(500);
    await waiting;
    await requests().cached(source.policy());
    expect(source.loads).toBe(1);
    await pass(FRESH);
    const served = await readConcurrently(requests, source.policy());
    expect(served.map(({ value: { n } }) => n)).toEqual(Array(100).fill(1));
    await pass(500);
    expect(source.loads).toBe(2);
  });

  test("does not hide a load that fails, nor the last good value", async () => {
    const { redis, source, isolate } = world();
    redis.down = true;
    source.failure = down;
    const requests = isolate();
    await expect(requests().cached(source.policy())).rejects.toBe(down);
    source.failure = null;
    await pass(LOCK_MS);
    await requests().cached(source.policy());
    await pass(STALE);
    source.failure = down;
    expect(await requests().cached(source.policy())).toMatchObject({ value: value(2), stale: true });
  });

  test("does not fail a drop", async () => {
    const { redis, source, isolate } = world();
    const requests = isolate();
    await requests().cached(source.policy());
    redis.down = true;
    await requests().drop("k");
    expect((await requests().cached(source.policy())).value.n).toBe(2);
  });

  test("in the middle of a load loses the copy and the lock, not the value", async () => {
    const { redis, source, isolate } = world();
    source.ms = 500;
    const waiting = isolate()().cached(source.policy());
    await pass(100);
    redis.down = true;
    await pass(400);
    expect((await waiting).value.n).toBe(1);
  });
});

describe("cached() with a foreign value in Redis", () => {
  const at = 1_700_000_000_000;
  test.each<[string, string]>([
    ["no JSON", "{"],
    ["no record", '"text"'],
    ["null", "null"],
    ["a list", "[]"],
    ["no value", stringifyWithBigints({ t: at })],
    ["no time", stringifyWithBigints({ v: value(9) })],
    ["a time that is none", stringifyWithBigints({ v: value(9), t: "now" })],
    ["another schema", stringifyWithBigints({ v: { n: "9", amount: 9n }, t: at })],
    ["a number for an amount", JSON.stringify({ v: { n: 9, amount: 9 }, t: at })],
    ["an amount that is none", JSON.stringify({ v: { n: 9, amount: { $n: "9 apples" } }, t: at })],
    ["the value of another program", "OK"],
  ])("is as good as none: %s", async (_what, text) => {
    const { redis, source, isolate } = world();
    await redis.set("cache:k", text, null);
    expect(await isolate()().cached(source.policy())).toEqual({
      value: value(1),
      storedAt: at,
      stale: false,
    });
    await pass(0);
    expect(redis.peek("cache:k")?.value).toBe(stringifyWithBigints({ v: value(1), t: at }));
  });

  test("is no last good value either", async () => {
    const { redis, source, isolate } = world();
    await redis.set("cache:k", stringifyWithBigints({ v: { n: "9" }, t: at }), null);
    source.failure = down;
    await expect(isolate()().cached(source.policy())).rejects.toBe(down);
  });

  test("loses what the schema does not know", async () => {
    const { redis, source, isolate } = world();
    await redis.set("cache:k", stringifyWithBigints({ v: { ...value(9), extra: "x" }, t: at }), null);
    expect((await isolate()().cached(source.policy())).value).toEqual(value(9));
  });
});
