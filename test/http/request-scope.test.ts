import { describe, expect, test, vi } from "vitest";
import { AppError, failure } from "../../src/errors.ts";
import { createApp } from "../../src/http/create-app.ts";
import { Timing } from "../../src/lib/outside-call-timing.ts";
import { testContext } from "../support/context.ts";
import { appOf } from "../support/http/app.ts";
import { routeDoing, thingsGet, thingsList } from "../support/http/routes.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const idOf = (response: Response): string => response.headers.get("x-request-id") ?? "";
const withId = (id: string): RequestInit => ({ headers: { "x-request-id": id } });

describe("the request id", () => {
  test.each(["a", "abc-DEF_123", "x".repeat(64)])("keeps the client's id %s", async (id) => {
    const { send, contexts } = appOf([thingsList]);
    expect(idOf(await send("/things", withId(id)))).toBe(id);
    expect(contexts[0]?.requestId()).toBe(id);
  });

  test.each(["", "x".repeat(65), "a b", "a.b", "a;b", "é", "<script>"])(
    "replaces the malformed id %j",
    async (id) => {
      const { send } = appOf([thingsList]);
      expect(idOf(await send("/things", withId(id)))).toMatch(UUID);
    },
  );

  test("is made only for a response that shows it", async () => {
    const made = vi.spyOn(crypto, "randomUUID");
    const app = createApp([thingsGet, thingsList], () => testContext());
    for (const [path, times] of [
      ["/things/1", 0],
      ["/things", 1],
      ["/nowhere", 1],
    ] as const) {
      made.mockClear();
      await app.request(path);
      expect([path, made.mock.calls.length]).toEqual([path, times]);
    }
    made.mockRestore();
  });

  test("is generated when the client sent none", async () => {
    const { send } = appOf([thingsList]);
    const ids = await Promise.all([1, 2, 3].map(async () => idOf(await send("/things"))));
    for (const id of ids) expect(id).toMatch(UUID);
    expect(new Set(ids).size).toBe(3);
  });

  test.each([
    ["404", "/nowhere", {}],
    ["405", "/things/1", { method: "DELETE" }],
    ["422", "/things/x", {}],
    ["200", "/things", {}],
    ["500", "/work", {}],
  ])("is on every response: %s", async (status, path, init) => {
    const failing = routeDoing(() => {
      throw new Error("no");
    });
    const { send } = appOf([thingsGet, thingsList, failing]);
    const response = await send(path, { ...init, ...withId("mine") });
    expect([String(response.status), idOf(response)]).toEqual([status, "mine"]);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("strict-transport-security")).toBe("max-age=31536000; includeSubDomains");
  });

  test("is on nothing that caches may keep, and neither are timings", async () => {
    const { send } = appOf([thingsGet]);
    const kept = await send("/things/1", withId("mine"));
    expect([idOf(kept), kept.headers.get("server-timing")]).toEqual(["", null]);
    const keyed = await send("/things/1", { headers: { "x-request-id": "mine", authorization: "Bearer x" } });
    expect([idOf(keyed), keyed.headers.get("cache-control")]).toEqual(["mine", "private, no-store"]);
  });

  test("is in the problem document", async () => {
    const { send } = appOf([]);
    expect(await (await send("/nowhere", withId("mine"))).json()).toMatchObject({ request_id: "mine" });
  });
});

describe("Server-Timing", () => {
  test("reports durations on successes and errors", async () => {
    const { send } = appOf([thingsGet, thingsList]);
    for (const path of ["/things", "/things/x", "/nowhere"]) {
      expect((await send(path)).headers.get("server-timing")).toBe("total;dur=0");
    }
  });

  test("counts the requests to dependencies", async () => {
    const { send, contexts } = appOf([
      routeDoing(() => contexts[0]?.timing.track("rpc", async () => ({ done: true }))),
    ]);
    expect((await send("/work")).headers.get("server-timing")).toBe('total;dur=0, rpc;dur=0;desc="1"');
  });

  test("is absent when disabled", async () => {
    const { send } = appOf([thingsGet], { serverTiming: false });
    expect((await send("/things/1")).headers.has("server-timing")).toBe(false);
  });
});

describe("the request log", () => {
  const failing = (error: unknown) =>
    appOf([
      routeDoing(() => {
        throw error;
      }),
    ]);

  test("has one line for a server error, with redacted causes", async () => {
    const cause = new Error("connect to https://node.example/k3y failed");
    const { send, contexts } = failing(new AppError("upstream_unavailable", "no node answered", { cause }));
    await send("/work", withId("mine"));
    expect(contexts[0]?.logged).toEqual([
      {
        level: "error",
        event: "request",
        request_id: "mine",
        method: "GET",
        path: "/work",
        status: 502,
        ms: expect.any(Number),
        rpc: 0,
        db: 0,
        redis: 0,
        error: "no node answered <- connect to [redacted] failed",
      },
    ]);
  });

  test("has the message of an unexpected error, which the response omits", async () => {
    const { send, contexts } = failing(new TypeError("x is not a function"));
    expect(await (await send("/work")).text()).not.toContain("not a function");
    expect(contexts[0]?.logged).toMatchObject([{ status: 500, error: "x is not a function" }]);
  });

  test.each([
    [1_999, []],
    [2_000, [{ level: "warn", event: "slow_request", status: 200, ms: 2_000 }]],
  ])("of a request of %i ms by the request's clock is %j", async (ms, lines) => {
    let now = 0;
    const context = { ...testContext(), timing: new Timing(() => now) };
    const work = routeDoing(() => {
      now += ms;
      return { done: true };
    });
    await appOf([work], {}, () => context).send("/work");
    expect(context.logged).toMatchObject(lines);
  });

  test("has no line for client errors and successes", async () => {
    const { send, contexts } = failing(failure("vault_not_found", "gone"));
    await send("/work");
    await send("/nowhere");
    const fine = appOf([thingsGet]);
    await fine.send("/things/1");
    await fine.send("/things/x");
    expect([...contexts, ...fine.contexts].flatMap(({ logged }) => logged)).toEqual([]);
  });
});

describe("a deployment with an invalid configuration", () => {
  test("answers every request with 500, the variable's name and the request id", async () => {
    const app = createApp([thingsGet], () => {
      throw new AppError("internal", "configuration: missing or invalid: DATABASE_URL");
    });
    const response = await app.request("/things/1", withId("mine"));
    expect([response.status, await response.json()]).toEqual([
      500,
      {
        type: "/docs/errors#internal",
        title: "Internal error",
        status: 500,
        detail: "configuration: missing or invalid: DATABASE_URL",
        code: "internal",
        request_id: "mine",
      },
    ]);
    expect(idOf(response)).toBe("mine");
  });
});
