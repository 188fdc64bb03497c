import { Redis } from "@upstash/redis";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startHub, type TestHub } from "../support/stack/harness.ts";

let hub: TestHub;
const open = (token = hub.token) => new Redis({ url: hub.upstash, token });
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${hub.upstash}${path}`, { headers: { authorization: `Bearer ${hub.token}`, ...headers } });
const post = (path: string, body: unknown) =>
  fetch(`${hub.upstash}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${hub.token}` },
    body: JSON.stringify(body),
  });

beforeAll(async () => {
  hub = await startHub();
});
beforeEach(() => open().flushall());
afterAll(() => hub.close());

describe("Upstash emulator with the production client", () => {
  test("stores and reads values, options and expiry", async () => {
    const redis = open();
    expect(await redis.set("a", { deep: [1, "x"] }, { ex: 60, nx: true })).toBe("OK");
    expect(await redis.set("a", 1, { nx: true })).toBeNull();
    expect(await redis.get("a")).toEqual({ deep: [1, "x"] });
    expect(await redis.ttl("a")).toBeGreaterThan(50);
    expect(await redis.getdel("a")).toEqual({ deep: [1, "x"] });
    expect(await redis.get("a")).toBeNull();
  });

  test("returns unicode, and text that looks like base64, unchanged", async () => {
    const redis = open();
    for (const text of ["aGVsbG8=", "OK", "ünïcode ✓", ""]) {
      await redis.set("text", text);
      expect(await redis.get("text")).toBe(text);
    }
    await redis.hset("hash", { one: "aGVsbG8=", two: "2" });
    expect(await redis.hgetall("hash")).toEqual({ one: "aGVsbG8=", two: 2 });
  });

  test("runs a pipeline command by command", async () => {
    const outcome = await open().pipeline().set("n", 1).lpush("n", "x").incr("n").exec({ keepErrors: true });
    expect(outcome).toMatchObject([
      { result: "OK" },
      { error: expect.stringContaining("WRONGTYPE") },
      { result: 2 },
    ]);
  });

  test("runs a transaction, or none of it when a command is invalid", async () => {
    expect(await open().multi().incr("n").incr("n").get("n").exec()).toEqual([1, 2, 2]);
    const refused = await post("/multi-exec", [["incr", "n"], ["nonsense"]]);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toEqual({ error: expect.stringContaining("EXECABORT") });
    expect(await open().get("n")).toBe(2);
  });

  test("isolates concurrent transactions", async () => {
    const runs = Array.from({ length: 40 }, () => open().multi().incr("c").incr("c").exec<number[]>());
    for (const [first, second] of await Promise.all(runs)) expect(second).toBe(Number(first) + 1);
  });

  test("runs Lua scripts, with Upstash's flags line", async () => {
    const redis = open();
    const script = "#!lua flags=allow-key-locking\nreturn {KEYS[1], ARGV[1], 1, false}";
    expect(await redis.eval(script, ["k"], ["v"])).toEqual(["k", "v", 1, null]);
    const sha = await redis.scriptLoad("return ARGV[1]");
    expect(await redis.evalsha(sha, [], ["again"])).toBe("again");
    await expect(redis.evalsha("0".repeat(40), [], [])).rejects.toThrow("NOSCRIPT");
  });
});

describe("Upstash emulator: REST protocol", () => {
  test("accepts commands as paths, with a token in the query", async () => {
    expect(await (await get("/set/foo/bar%2Fbaz?EX=100")).json()).toEqual({ result: "OK" });
    const plain = await fetch(`${hub.upstash}/get/foo?_token=${hub.token}`);
    expect(await plain.json()).toEqual({ result: "bar/baz" });
    const encoded = await get("/get/foo", { "upstash-encoding": "base64" });
    expect(await encoded.json()).toEqual({ result: Buffer.from("bar/baz").toString("base64") });
    expect(encoded.headers.get("upstash-sync-token")).toMatch(/^local:/);
  });
});

describe("Upstash emulator: rejected requests", () => {
  test("rejects a missing or wrong token", async () => {
    await expect(open("wrong").get("a")).rejects.toThrow("WRONGPASS");
    expect((await fetch(`${hub.upstash}/get/a`)).status).toBe(401);
  });

  test("rejects commands that need a connection of their own", async () => {
    for (const command of [["multi"], ["blpop", "a", "0"], ["subscribe", "a"], ["config", "get", "*"]]) {
      const response = await post("/", command);
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({ error: expect.stringContaining("not available") });
    }
  });

  test("rejects other methods, and malformed or oversized bodies", async () => {
    const headers = { authorization: `Bearer ${hub.token}` };
    expect((await fetch(hub.upstash, { method: "DELETE", headers })).status).toBe(405);
    expect((await post("/", "no list")).status).toBe(400);
    expect((await post("/pipeline", [["get", "a"], "get b"])).status).toBe(400);
    expect((await post("/", ["set", "a", "x".repeat(10 * 1024 * 1024)])).status).toBe(400);
  });
});
