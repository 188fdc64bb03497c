import { expect, test } from "vitest";
import * as z from "zod";
import { defineRoute } from "../../src/http/define-route.ts";
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
