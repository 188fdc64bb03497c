import { expect, test, vi } from "vitest";
import * as z from "zod";
import { type AnyRoute, defineRoute } from "../../src/http/define-route.ts";
import { appOf } from "../support/http/app.ts";
import { OpenLimiter } from "../support/partners/stores.ts";

/** An operation that is answered from store when its key is `known`. */
const repeatable = defineRoute({
  operationId: "quotes.build",
  limit: "build",
  method: "post",
  path: "/work",
  summary: "Work",
  tag: "Things",
  access: "public",
  cache: "no-store",
  headers: z.object({ "idempotency-key": z.string().optional() }),
  response: { schema: z.object({ done: z.boolean() }), description: "Done" },
  errors: [],
  handler: async (ctx, { headers }) => {
    if (headers["idempotency-key"] !== "known") await ctx.charge();
    return { done: true };
  },
});
/** The same with a limit per caller and user address. */
const forUser: AnyRoute = {
  ...repeatable,
  userLimit: "user_build",
  body: z.object({ user_address: z.string() }),
};
const USER = `0x${"ab".repeat(20)}`;

test.each([
  ["no key", {}, ["build", "user_build"]],
  ["a new key", { "idempotency-key": "new" }, ["reads", "build", "user_build"]],
  ["a known key", { "idempotency-key": "known" }, ["reads"]],
])("admitForUser() counts a build with %s per caller and user", async (_what, headers, names) => {
  const { send, contexts } = appOf([forUser]);
  const body = JSON.stringify({ user_address: USER });
  const json = { ...headers, "content-type": "application/json" };
  expect((await send("/work", { method: "POST", headers: json, body })).status).toBe(200);
  const limiter = contexts[0]?.limiter;
  if (!(limiter instanceof OpenLimiter)) throw new TypeError("another limiter");
  expect(limiter.windows.map(({ name }) => name)).toEqual(names);
  const own = limiter.windows.filter(({ name }) => name === "user_build");
  expect(own.every(({ subject, limit }) => subject.endsWith(`:${USER}`) && limit === 20)).toBe(true);
});

test("admitForUser() refuses beyond the limit, with its policy", async () => {
  const { send, contexts } = appOf([forUser]);
  const body = JSON.stringify({ user_address: USER });
  const json = { "content-type": "application/json" };
  const refuse = vi.spyOn(OpenLimiter.prototype, "countExactly").mockImplementation(async ({ name }) => ({
    ...{ admitted: name !== "user_build", remaining: 0, resetMs: 7_000 },
  }));
  const response = await send("/work", { method: "POST", headers: json, body });
  refuse.mockRestore();
  expect(contexts).toHaveLength(1);
  expect([response.status, response.headers.get("retry-after")]).toEqual([429, "7"]);
  expect(response.headers.get("ratelimit-policy")).toBe('"user_build";q=20;w=60');
});

test.each([
  ["a build without idempotency key counts as a build", {}, ["build"], '"build";q=60;w=60'],
  [
    "a first build with an idempotency key counts as a read and a build",
    { "idempotency-key": "new" },
    ["reads", "build"],
    '"build";q=60;w=60',
  ],
  ["a replay of an idempotency key counts as a read only", { "idempotency-key": "known" }, ["reads"], null],
])("admit(): %s", async (_what, headers, names, policy) => {
  const { send, contexts } = appOf([repeatable]);
  const response = await send("/work", { method: "POST", headers });
  expect(response.status).toBe(200);
  const limiter = contexts[0]?.limiter;
  if (!(limiter instanceof OpenLimiter)) throw new TypeError("another limiter");
  expect(limiter.windows.map(({ name }) => name)).toEqual(names);
  expect(response.headers.get("ratelimit-policy")).toBe(policy);
});
