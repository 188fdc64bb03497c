import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { LimitName } from "../../src/config/config.ts";
import { failure } from "../../src/errors.ts";
import { defineRoute } from "../../src/http/define-route.ts";
import { WorkSlots } from "../../src/lib/work-slots.ts";
import { testContext } from "../support/context.ts";
import { appOf, posted, read } from "../support/http/app.ts";

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
