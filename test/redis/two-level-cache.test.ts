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

describe("cached() with a fresh value", () => {
  test("is loaded once, then served from memory without a word to Redis", async () => {
    const { redis, source, isolate } = world();
    const requests = isolate();
    const storedAt = Date.now();
    expect(await requests().cached(source.policy())).toEqual({ value: value(1), storedAt, stale: false });
    await pass(FRESH - 1);
    const before = redis.commands.length;
    expect(await requests().cached(source.policy())).toEqual({ value: value(1), storedAt, stale: false });
    expect([source.loads, redis.commands.length]).toEqual([1, before]);
  });

  test("is shared with other isolates through Redis, every digit of it, with the age it has", async () => {
    const { source, isolate } = world();
    const storedAt = Date.now();
    await isolate()().cached(source.policy());
    await pass(FRESH - 1);
    const other = await isolate()().cached(source.policy());
    expect(other).toEqual({ value: { n: 1, amount: 2n ** 200n + 1n }, storedAt, stale: false });
    expect(source.loads).toBe(1);
  });

  test("is kept in Redis for as long as the policy keeps it", async () => {
    const { redis, source, isolate } = world();
    await isolate()().cached(source.policy());
    await isolate()().cached(source.policy({ key: "forever", keepMs: null }));
    await pass(0);
    expect(redis.peek("cache:k")?.ttlMs).toBe(KEEP);
    expect(redis.peek("cache:forever")?.ttlMs).toBe(null);
  });

  test("has nothing to do with values of other keys", async () => {
    const { source, isolate } = world();
    const requests = isolate();
    const a = await requests().cached(source.policy({ key: "a" }));
    const b = await requests().cached(source.policy({ key: "b" }));
    expect([a.value.n, b.value.n]).toEqual([1, 2]);
  });

  test("is gone once it is dropped, in memory and in Redis", async () => {
    const { redis, source, isolate } = world();
    const requests = isolate();
    await requests().cached(source.policy());
    await pass(0);
    await requests().drop("k");
    expect(redis.peek("cache:k")).toBe(null);
    expect((await requests().cached(source.policy())).value.n).toBe(2);
  });
});

describe("cached() with a value past its freshness", () => {
  test("is served at once to a hundred callers, while one of them reloads it", async () => {
    const { source, isolate } = world();
    const requests = isolate();
    await requests().cached(source.policy());
    await pass(FRESH);
    source.ms = 500;
    const served = await readConcurrently(requests, source.policy());
    expect(served.map(({ value: { n }, stale }) => [n, stale])).toEqual(Array(100).fill([1, false]));
    await pass(500);
    expect((await requests().cached(source.policy())).value.n).toBe(2);
    expect(source.loads).toBe(2);
  });

  test("is reloaded once by all isolates together", async () => {
    const { source, isolate } = world();
    const isolates = Array.from({ length: 10 }, isolate);
    for (const requests of isolates) await requests().cached(source.policy());
    expect(source.loads).toBe(1);
    await pass(FRESH);
    source.ms = 500;
    const served = await Promise.all(
      isolates.map((requests) => readConcurrently(requests, source.policy(), 10)),
    );
    expect(served.flat().map(({ value: { n } }) => n)).toEqual(Array(100).fill(1));
    await pass(500);
    expect(source.loads).toBe(2);
  });

  test("is taken from Redis where another isolate has reloaded it already", async () => {
    const { source, isolate } = world();
    const [a, b] = [isolate(), isolate()];
    await a().cached(source.policy());
    await b().cached(source.policy());
    await pass(FRESH);
    await a().cached(source.policy());
    await pass(0);
    await b().cached(source.policy());
    await pass(0);
    expect((await b().cached(source.policy())).value.n).toBe(2);
    expect(source.loads).toBe(2);
  });

  test("is served on while reloading fails, and again tried by the next caller", async () => {
    const { source, isolate, logged } = world();
    const requests = isolate();
    await requests().cached(source.policy());
    await pass(FRESH);
    source.failure = new Error("down");
    expect(await requests().cached(source.policy())).toMatchObject({ value: { n: 1 }, stale: false });
    await pass(0);
    expect([source.loads, logged]).toEqual([2, ["cache_load_failed"]]);
    source.failure = null;
    await pass(LOCK_MS);
    await requests().cached(source.policy());
    await pass(0);
    expect((await requests().cached(source.policy())).value.n).toBe(3);
  });

  test("is waited for, once it is stale", async () => {
    const { source, isolate } = world();
    const requests = isolate();
    await requests().cached(source.policy());
    await pass(STALE);
    source.ms = 500;
    const waiting = readConcurrently(requests, source.policy());
    await pass(500);
    expect((await waiting).map(({ value: { n } }) => n)).toEqual(Array(100).fill(2));
    expect(source.loads).toBe(2);
  });
});

describe("cached() without a value", () => {
  test("is loaded once for a hundred callers", async () => {
    const { source, isolate } = world();
    source.ms = 500;
    const waiting = readConcurrently(isolate(), source.policy());
    await pass(500);
    const served = await waiting;
    expect(served.map(({ value: { n }, stale }) => [n, stale])).toEqual(Array(100).fill([1, false]));
    expect(source.loads).toBe(1);
  });

  test("is waited for while another isolate loads it", async () => {
    const { source, isolate } = world();
    source.ms = 300;
    const first = isolate()().cached(source.policy());
    await pass(10);
    const second = readConcurrently(isolate(), source.policy(), 10);
    await pass(400);
    expect((await first).value.n).toBe(1);
    expect((await second).map(({ value: { n } }) => n)).toEqual(Array(10).fill(1));
    expect(source.loads).toBe(1);
  });

  test("is loaded all the same when the isolate that holds the lock does not deliver", async () => {
    const { redis, source, isolate } = world();
    await redis.setIfAbsent("lock:k", "another isolate", 60_000);
    const waiting = isolate()().cached(source.policy());
    await pass(599);
    expect(source.loads).toBe(0);
    await pass(1);
    expect((await waiting).value.n).toBe(1);
    expect(redis.peek("lock:k")?.value).toBe("another isolate");
  });

  test("is loaded by the request itself when the one it waits for was cancelled", async () => {
    const { source, isolate } = world();
    const requests = isolate();
    source.hanging = true;
    void requests().cached(source.policy());
    await pass(0);
    source.hanging = false;
    const waiting = requests().cached(source.policy());
    await pass(2_999);
    expect(source.loads).toBe(1);
    await pass(1 + 600);
    expect((await waiting).value.n).toBe(2);
  });
});

describe("cached() lock", () => {
  test("lies for five seconds at most, and is taken away once the value is written", async () => {
    const { redis, source, isolate } = world();
    source.ms = 500;
    const waiting = isolate()().cached(source.policy());
    await pass(100);
    expect(redis.peek("lock:k")?.ttlMs).toBe(LOCK_MS - 100);
    await pass(400);
    await waiting;
    await pass(0);
    expect([redis.peek("lock:k"), redis.peek("cache:k") === null]).toEqual([null, false]);
  });

  test("of somebody else is left alone when our own ran out", async () => {
    const { redis, source, isolate } = world();
    source.ms = LOCK_MS + 1_000;
    const waiting = isolate()().cached(source.policy());
    await pass(LOCK_MS + 1);
    await redis.setIfAbsent("lock:k", "another isolate", LOCK_MS);
    await pass(1_000);
    await waiting;
    await pass(0);
    expect(redis.peek("lock:k")?.value).toBe("another isolate");
  });
});

describe("sharing", () => {
  test("unlocked: a cold load costs one command before it and one after it", async () => {
    const { redis, source, isolate } = world();
    await isolate()().cached(source.policy({ sharing: "unlocked" }));
    await pass(0);
    expect(redis.commands).toEqual(["get cache:k", "set cache:k"]);
    const failing = isolate()();
    source.failure = new Error("down");
    await pass(STALE);
    expect((await failing.cached(source.policy({ sharing: "unlocked" }))).stale).toBe(true);
    expect(redis.commands.slice(2)).toEqual(["get cache:k"]);
  });

  test("isolate: nothing reaches Redis", async () => {
    const { redis, source, isolate } = world();
    const [one, other] = [isolate(), isolate()];
    const policy = source.policy({ sharing: "isolate" });
    expect((await one().cached(policy)).value).toEqual(value(1));
    expect((await other().cached(policy)).value).toEqual(value(2));
    expect((await one().cached(policy)).value).toEqual(value(1));
    expect(redis.commands).toEqual([]);
  });
});

describe("a value that is known from elsewhere", () => {
  test("is served without a load, and reloaded beside the request once it is not fresh", async () => {
    const { source, isolate } = world();
    const requests = isolate();
    const policy = (storedAt: number) =>
      source.policy({ sharing: "isolate", known: { value: value(9), storedAt } });
    const at = Date.now();
    expect(await requests().cached(policy(at))).toEqual({ value: value(9), storedAt: at, stale: false });
    expect(source.loads).toBe(0);
    await pass(FRESH);
    expect((await requests().cached(policy(at))).value).toEqual(value(9));
    await pass(0);
    expect((await requests().cached(policy(at))).value).toEqual(value(1));
  });

  test("gives way to a newer one in memory, and replaces an older one", async () => {
    const { source, isolate } = world();
    const requests = isolate();
    await requests().cached(source.policy({ sharing: "isolate" }));
    const known = (storedAt: number) => ({ value: value(9), storedAt });
    const older = source.policy({ sharing: "isolate", known: known(Date.now() - 1) });
    expect((await requests().cached(older)).value).toEqual(value(1));
    const newer = source.policy({ sharing: "isolate", known: known(Date.now() + 1) });
    expect((await requests().cached(newer)).value).toEqual(value(9));
  });
});

describe("renew()", () => {
  test("replaces the value in memory and in Redis", async () => {
    const { source, isolate } = world();
    const requests = isolate();
    await requests().cached(source.policy());
    await requests().renew(source.policy());
    expect((await requests().cached(source.policy())).value).toEqual(value(2));
    expect((await isolate()().cached(source.policy())).value).toEqual(value(2));
  });

  test("keeps a value in memory that the isolates do not share", async () => {
    const { redis, source, isolate } = world();
    const requests = isolate();
    const policy = source.policy({ sharing: "isolate" });
    await requests().renew(policy);
    expect(redis.commands).toEqual([]);
    expect((await requests().cached(policy)).value).toEqual(value(1));
  });

  test("is not undone by a reload that began before it", async () => {
    const { source, isolate } = world();
    const requests = isolate();
    await requests().cached(source.policy());
    await pass(FRESH);
    source.ms = 500;
    await requests().cached(source.policy());
    await pass(100);
    source.ms = 0;
    await requests().renew(source.policy());
    await pass(400);
    expect(source.loads).toBe(3);
    expect((await requests().cached(source.policy())).value).toEqual(value(3));
    expect((await isolate()().cached(source.policy())).value).toEqual(value(3));
  });

  test("is not undone by a reload that began before it and fails", async () => {
    const { source, isolate } = world();
    const requests = isolate();
    await requests().cached(source.policy());
    await pass(FRESH);
    source.ms = 500;
    source.failure = new Error("down");
    await requests().cached(source.policy());
    await pass(100);
    source.ms = 0;
    source.failure = null;
    await requests().renew(source.policy());
    await pass(400);
    expect((await requests().cached(source.policy())).value).toEqual(value(3));
  });

  test("replaces a value that another isolate's clock dates in the future", async () => {
    const { redis, source, isolate } = world();
    await redis.set("cache:k", stringifyWithBigints({ v: value(9), t: Date.now() + 4_000 }), null);
    const requests = isolate();
    expect((await requests().cached(source.policy())).value).toEqual(value(9));
    await requests().renew(source.policy());
    expect((await requests().cached(source.policy())).value).toEqual(value(1));
  });

  test("keeps the last good copy when loading fails", async () => {
    const { source, isolate, logged } = world();
    const requests = isolate();
    await requests().cached(source.policy());
    await pass(0);
    source.failure = new Error("down");
    await requests().renew(source.policy());
    expect(logged).toEqual(["cache_load_failed"]);
    expect((await requests().cached(source.policy())).value).toEqual(value(1));
    expect((await isolate()().cached(source.policy())).value).toEqual(value(1));
  });
});
