import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Redis } from "@upstash/redis";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clearFaults, control, openDriver, startHub, type TestHub } from "../support/stack/harness.ts";

const ADDRESS = "0x1111111111111111111111111111111111111111";
const WORD = ADDRESS.slice(2).padStart(64, "0");
const DEFAULT_RELAYER = { delay_ms: 0, mode: "deliver", underdeliver: "0", underdeliver_bps: 0 };

/** A node that returns the same word for every request. */
const node = createServer((request, response) => {
  request.resume().on("end", () => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: `0x${WORD}` }));
  });
});
let hub: TestHub;
let rpc = "";
const redis = () => new Redis({ url: hub.upstash, token: hub.token, retry: { retries: 0 } });
const raw = (path = "/get/key") =>
  fetch(`${hub.upstash}${path}`, { headers: { authorization: `Bearer ${hub.token}` } });
const callNode = (method: string) =>
  fetch(rpc, { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [] }) });

beforeAll(async () => {
  hub = await startHub([1]);
  await new Promise<void>((resolve) => node.listen(0, "127.0.0.1", resolve));
  const { port } = node.address() as AddressInfo;
  await hub.child.ask("connect", { chainId: 1, url: `http://127.0.0.1:${port}` });
  rpc = hub.rpc[1] ?? "";
  await redis().set("key", ADDRESS);
});
afterEach(() => Promise.all([hub.neon, hub.upstash, rpc].map(clearFaults)));
afterAll(async () => {
  node.close();
  await hub.close();
});

describe("/__control", () => {
  test("shows faults, counts them down and clears them", async () => {
    const faults = [{ match: "/get", kind: "status", status: 503, ms: 0, count: 2 }];
    const set = await control(hub.upstash, { faults });
    expect(set).toEqual({ status: 200, body: { faults, relayer: DEFAULT_RELAYER } });
    expect((await raw()).status).toBe(503);
    const shown = await fetch(`${hub.upstash}/__control`);
    expect(await shown.json()).toMatchObject({ faults: [{ count: 1 }] });
    expect((await raw("/ping")).status).toBe(200);
    expect((await raw()).status).toBe(503);
    expect((await raw()).status).toBe(200);
    await control(hub.upstash, { faults: [{ kind: "status" }] });
    await clearFaults(hub.upstash);
    expect((await raw()).status).toBe(200);
  });

  test("stores the relayer's settings", async () => {
    const relayer = { delay_ms: 5, mode: "underdeliver", underdeliver: "1", underdeliver_bps: 25 };
    expect(await control(hub.neon, { relayer })).toEqual({ status: 200, body: { faults: [], relayer } });
  });

  test("rejects unknown fault kinds and fields, naming them", async () => {
    const messages = await Promise.all(
      [
        { faults: [{ kind: "explode" }] },
        { faults: [{ kind: "status", statu: 500 }] },
        { faults: [{ kind: "status", count: 0 }] },
        { relayer: { mode: "teleport" } },
        { fault: [] },
      ].map(async (body) => (await control(rpc, body)) as { status: number; body: { error: string } }),
    );
    expect(messages.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
    expect(messages.map(({ body }) => body.error.split(":")[0])).toEqual([
      "faults[0].kind",
      "faults[0]",
      "faults[0].count",
      "relayer.mode",
      "Unrecognized key",
    ]);
    const broken = await fetch(`${rpc}/__control`, { method: "POST", body: "{" });
    expect(broken.status).toBe(400);
    expect((await fetch(`${rpc}/__control`, { method: "PUT" })).status).toBe(405);
  });

  test("matches a fault by the request body as well as the path", async () => {
    await control(rpc, { faults: [{ match: "eth_call", kind: "status", status: 429 }] });
    const limited = await callNode("eth_call");
    expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "1"]);
    expect((await callNode("eth_chainId")).status).toBe(200);
  });
});

describe("emulator faults", () => {
  test("latency delays a correct response", async () => {
    await control(hub.upstash, { faults: [{ kind: "latency", ms: 150 }] });
    const started = performance.now();
    expect(await redis().get("key")).toBe(ADDRESS);
    expect(performance.now() - started).toBeGreaterThan(140);
  });

  test("timeout never responds, or resets the connection", async () => {
    await control(rpc, { faults: [{ kind: "timeout" }] });
    const signal = AbortSignal.timeout(200);
    await expect(fetch(rpc, { method: "POST", body: "{}", signal })).rejects.toThrow(/timeout/);
    await control(rpc, { faults: [{ kind: "timeout", ms: 20 }] });
    await expect(fetch(rpc, { method: "POST", body: "{}" })).rejects.toThrow("fetch failed");
  });

  test("malformed, truncate and html corrupt the response after the work was done", async () => {
    await control(hub.upstash, { faults: [{ match: "incr", kind: "malformed", count: 1 }] });
    const malformed = await raw("/incr/n");
    expect(malformed.status).toBe(200);
    await expect(malformed.json()).rejects.toThrow();
    await control(hub.upstash, { faults: [{ match: "incr", kind: "truncate", count: 1 }] });
    await expect(raw("/incr/n").then((response) => response.text())).rejects.toThrow("terminated");
    await control(hub.upstash, { faults: [{ match: "incr", kind: "html", count: 1 }] });
    const page = await raw("/incr/n");
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(await redis().get("n")).toBe(3);
  });

  test("status responds with an error before any work is done", async () => {
    await control(hub.upstash, { faults: [{ kind: "status", status: 502, count: 1 }] });
    expect((await raw("/incr/never")).status).toBe(502);
    expect(await redis().get("never")).toBeNull();
  });

  test("drift renames fields", async () => {
    await control(hub.upstash, { faults: [{ kind: "drift" }] });
    expect(await (await raw()).json()).toEqual({ result_v2: ADDRESS });
  });

  test("hostile keeps the shape and inserts the attacker's address", async () => {
    for (const url of [hub.upstash, hub.neon, rpc]) await control(url, { faults: [{ kind: "hostile" }] });
    const attacker = expect.stringMatching(/badbadbadbadbad/i);
    expect(await redis().get("key")).toEqual(attacker);
    expect(await openDriver(hub)`SELECT ${ADDRESS} AS spender`).toEqual([{ spender: attacker }]);
    expect(await (await callNode("eth_call")).json()).toEqual({ jsonrpc: "2.0", id: 1, result: attacker });
  });
});
