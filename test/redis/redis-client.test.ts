import { describe, expect, test } from "vitest";
import { Breakers } from "../../src/lib/circuit-breaker.ts";
import { Timing } from "../../src/lib/outside-call-timing.ts";
import { createRedis, createRedisStore, type RedisStore } from "../../src/redis/redis-client.ts";
import { redisPolicy } from "../../src/redis/redis-command.ts";
import { holdTimeouts, serve } from "../support/local-server.ts";
import { stoppedClock } from "../support/stopped-clock.ts";

interface StoreUnderTest {
  store: RedisStore;
  timing: Timing;
  /** Commands as Upstash's REST endpoint got them. */
  commands: unknown[];
}

/** The store on an endpoint that answers every command so, or that calls a function instead. */
async function storeOn(answer: { status?: number; text: string } | (() => unknown)): Promise<StoreUnderTest> {
  const commands: unknown[] = [];
  const { url } = await serve(({ body, headers }, response) => {
    commands.push(JSON.parse(body));
    expect(headers["upstash-encoding"]).toBe("base64");
    if (headers.authorization !== "Bearer t0ken") response.writeHead(401).end("{}");
    else if (typeof answer === "function") answer();
    else response.writeHead(answer.status ?? 200).end(answer.text);
  });
  const timing = new Timing(() => 0);
  const store = createRedisStore(createRedis({ url, token: "t0ken" }), { prefix: "cw", timing });
  return { store, timing, commands };
}
/** A result as the endpoint writes it: texts but OK in base64, which the client asks for. */
const says = (result: string | null) => {
  const encoded = result === null || result === "OK" ? result : Buffer.from(result).toString("base64");
  return { text: JSON.stringify({ result: encoded }) };
};

describe("createRedisStore()", () => {
  test("prefixes keys and sets expiry in milliseconds", async () => {
    const { store, timing, commands } = await storeOn(says("OK"));
    await store.set("a", "1", 1_500);
    await store.set("a", "1", null);
    await store.setIfAbsent("b", "2", 5_000);
    await store.delete("c");
    await store.deleteIfEqual("d", "3");
    await store.extendIfEqual("e", "4", 20_000);
    await store.ping();
    expect(commands).toEqual([
      ["set", "cw:a", "1", "px", 1_500],
      ["set", "cw:a", "1"],
      ["set", "cw:b", "2", "nx", "px", 5_000],
      ["del", "cw:c"],
      ["eval", expect.stringContaining("redis.call('get', KEYS[1]) == ARGV[1]"), 1, "cw:d", "3"],
      ["eval", expect.stringContaining("'PX', ARGV[2]"), 1, "cw:e", "4", 20_000],
      ["ping"],
    ]);
    expect(timing.requests("redis")).toBe(7);
  });

  test.each(['{"a":1}', "123", "true", "null", "text", ""])(
    "give texts back as they are: %j",
    async (text) => {
      const { store } = await storeOn(says(text));
      expect(await store.get("a")).toBe(text);
    },
  );

  test("returns null for an absent value, and false for a taken lock", async () => {
    const { store } = await storeOn(says(null));
    expect([await store.get("a"), await store.setIfAbsent("a", "1", 1)]).toEqual([null, false]);
  });

  test("returns true for an acquired lock", async () => {
    const { store } = await storeOn(says("OK"));
    expect(await store.setIfAbsent("a", "1", 1)).toBe(true);
  });
});

describe("createRedisStore() with a failing endpoint", () => {
  test.each([
    ["with 500", { status: 500, text: '{"error":"ERR"}' }],
    ["with 429", { status: 429, text: '{"error":"limit"}' }],
    ["with an error", { status: 400, text: '{"error":"ERR wrong type"}' }],
    ["with a page", { status: 200, text: "<html>" }],
  ])("throws on %s without a retry", async (_how, answer) => {
    const { store, commands } = await storeOn(answer);
    await expect(store.get("a")).rejects.toThrow();
    expect(commands).toHaveLength(1);
  });

  test("throws after the timeout of 800 ms", async () => {
    const deadlines = holdTimeouts();
    const passed: number[] = [];
    const { store, commands } = await storeOn(() => passed.push(deadlines.expire()));
    await expect(store.get("a")).rejects.toThrow();
    expect([passed, commands.length]).toEqual([[800], 1]);
  });
});

describe("createRedisStore() with a Redis that hangs", () => {
  test("waits for one command, then for none until a trial is answered", async () => {
    const deadlines = holdTimeouts();
    const clock = stoppedClock();
    let hangs = true;
    const { url, requests } = await serve((_request, response) => {
      if (hangs) clock.skip(deadlines.expire());
      else response.end(says("1").text);
    });
    const breaker = new Breakers(clock.now).of("redis", redisPolicy);
    const timing = new Timing(clock.now);
    const store = createRedisStore(createRedis({ url, token: "t0ken" }), { prefix: "cw", timing, breaker });
    await expect(store.get("a")).rejects.toThrow();
    for (let command = 0; command < 20; command += 1) await expect(store.get("a")).rejects.toThrow();
    expect([requests.length, breaker.report().state]).toEqual([1, "open"]);
    hangs = false;
    clock.skip(1_000);
    expect([await store.get("a"), breaker.report().state]).toEqual(["1", "closed"]);
  });

  test("takes an error of Redis for an answer", async () => {
    const breaker = new Breakers(() => Date.now()).of("redis", { ...redisPolicy, hangMs: 0 });
    const { url } = await serve((_request, response) => {
      response.writeHead(500);
      response.end('{"error":"ERR"}');
    });
    const timing = new Timing(() => 0);
    const store = createRedisStore(createRedis({ url, token: "t0ken" }), { prefix: "cw", timing, breaker });
    for (let command = 0; command < 5; command += 1) await expect(store.get("a")).rejects.toThrow();
    expect(breaker.report().state).toBe("closed");
  });
});
