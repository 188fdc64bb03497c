import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { LimitName } from "../../src/config/config.ts";
import { failure } from "../../src/errors.ts";
import { defineRoute } from "../../src/http/define-route.ts";
import { WorkSlots } from "../../src/lib/work-slots.ts";
import { testContext } from "../support/context.ts";
import { appOf, posted, read } from "../support/http/app.ts";
import { OpenLimiter } from "../support/partners/stores.ts";

/** Creates an app whose work on `/<limit>` waits until `finish` is called, with room for two orders. */
function busyApp({ deadlineMs }: { deadlineMs?: number } = {}) {
  const waiting: ((error?: Error) => void)[] = [];
  const orderSlots = new WorkSlots(2, () => 0);
  const routeOf = (limit: LimitName) =>
    defineRoute({
      operationId: `work.${limit}`,
      method: "post",
      path: `/${limit}`,
      summary: "Work",
      tag: "Work",
      access: "public",
      cache: "no-store",
      limit,
      errors: [],
      ...(deadlineMs === undefined ? {} : { deadlineMs }),
      body: z.object({ n: z.int() }),
      response: { schema: z.object({ n: z.int() }), description: "The work" },
      handler: (_ctx, { body }) =>
        new Promise<{ n: number }>((resolve, reject) =>
          waiting.push((error) => (error === undefined ? resolve(body) : reject(error))),
        ),
    });
  const { send } = appOf([routeOf("build"), routeOf("quote"), routeOf("reads")], {}, (requestId) => ({
    ...testContext({ requestId }),
    orderSlots,
  }));
  /** Sends work, waits until it is in progress, and returns its response to come. */
  const begin = async (path: string): Promise<{ answer: Promise<Response> }> => {
    const before = waiting.length;
    const answer = send(path, posted({ n: 1 }));
    // A response to a passed deadline may come earlier.
    while (waiting.length === before) await new Promise((resolve) => setImmediate(resolve));
    return { answer };
  };
  return { send, begin, waiting, orderSlots };
}

describe("orders in progress", () => {
  test("beyond the bound are refused at once with what to do, while reads go on", async () => {
    const { send, begin, waiting } = busyApp();
    const orders = [await begin("/build"), await begin("/quote")];
    const refused = await send("/build", posted({ n: "no number" }));
    expect(refused.headers.get("retry-after")).toBe("5");
    expect(await read(refused)).toEqual({
      status: 503,
      body: {
        type: "/docs/errors#overloaded",
        title: "Too many orders in progress",
        status: 503,
        detail:
          "this server already works on 2 orders, and has not begun this one: send the request again after the seconds in Retry-After",
        code: "overloaded",
        request_id: expect.any(String),
      },
    });
    expect(waiting).toHaveLength(2);
    const reading = await begin("/reads");
    for (const finish of waiting) finish();
    const answers = await Promise.all([...orders, reading].map(({ answer }) => answer));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test.each<[string, Error | undefined, number]>([
    ["succeeds", undefined, 200],
    ["fails", failure("upstream_timeout", "late"), 504],
    ["breaks", new Error("no"), 500],
  ])("free their slots when one %s", async (_, error, status) => {
    const { begin, waiting } = busyApp();
    for (let order = 0; order < 5; order += 1) {
      const { answer } = await begin("/build");
      waiting.at(-1)?.(error);
      expect((await answer).status).toBe(status);
    }
  });

  test("free their slots when one is refused before it is begun", async () => {
    const { send, begin } = busyApp();
    for (let order = 0; order < 5; order += 1)
      expect((await send("/build", posted({ n: "no number" }))).status).toBe(422);
    await begin("/build");
  });

  test("keep their slots after their deadline for as long as they go on", async () => {
    const { begin, waiting, orderSlots } = busyApp({ deadlineMs: 1 });
    const { answer } = await begin("/build");
    expect((await answer).status).toBe(504);
    const other = orderSlots.take();
    expect([other, orderSlots.take()]).toEqual([expect.any(Function), null]);
    waiting[0]?.(new Error("aborted"));
    await new Promise((resolve) => setImmediate(resolve));
    expect(orderSlots.take()).not.toBeNull();
  });
});

/** Creates an app with room for two orders, whose keyed orders wait for `finish`, if `works` after being charged twice. */
function keyedApp() {
  const waiting: (() => void)[] = [];
  const orderSlots = new WorkSlots(2, () => 0);
  const limiter = new OpenLimiter();
  const route = defineRoute({
    operationId: "work.keyed",
    method: "post",
    path: "/keyed",
    summary: "Work",
    tag: "Work",
    access: "public",
    cache: "no-store",
    limit: "build",
    errors: [],
    headers: z.object({ "idempotency-key": z.string().optional() }),
    body: z.object({ works: z.boolean() }),
    response: { schema: z.object({ works: z.boolean() }), description: "The work" },
    handler: async (ctx, { body }) => {
      if (body.works) for (let time = 0; time < 2; time += 1) await ctx.charge();
      await new Promise<void>((resolve) => waiting.push(resolve));
      return body;
    },
  });
  const { send } = appOf([route], {}, (requestId) => ({
    ...testContext({ requestId }),
    orderSlots,
    limiter,
  }));
  const order = (works: boolean, headers = { "idempotency-key": "k" } as Record<string, string>) =>
    send("/keyed", posted({ works }, headers));
  const until = (count: number) => expect.poll(() => waiting.length, { timeout: 2_000 }).toBe(count);
  return { order, until, waiting, orderSlots, limiter };
}

describe("orders with an idempotency key", () => {
  test("hold no slot while they wait for another one's response", async () => {
    const { order, until, waiting } = keyedApp();
    const twins = Array.from({ length: 5 }, () => order(false));
    await until(5);
    const others = [order(true), order(false, {})];
    await until(7);
    expect((await order(false, {})).status).toBe(503);
    for (const finish of waiting) finish();
    const statuses = (await Promise.all([...twins, ...others])).map(({ status }) => status);
    expect(statuses).toEqual(Array(7).fill(200));
  });

  test("take one slot when they begin, are refused without one, and free it at their end", async () => {
    const { order, until, waiting, orderSlots } = keyedApp();
    const orders = [order(true), order(true)];
    await until(2);
    const refused = await read(await order(true));
    expect(refused).toMatchObject({ status: 503, body: { code: "overloaded" } });
    for (const finish of waiting) finish();
    await Promise.all(orders);
    expect([orderSlots.take(), orderSlots.take(), orderSlots.take()]).toEqual([
      expect.any(Function),
      expect.any(Function),
      null,
    ]);
  });

  test("free their slot when they exceed their rate limit", async () => {
    const { order, orderSlots, limiter } = keyedApp();
    limiter.countExactly = async ({ name }) => ({ admitted: name !== "build", remaining: 0, resetMs: 7_000 });
    for (let time = 0; time < 5; time += 1) expect((await order(true)).status).toBe(429);
    expect([orderSlots.take(), orderSlots.take()]).not.toContain(null);
  });
});
