import { describe, expect, test } from "vitest";
import * as z from "zod";
import { defineRoute } from "../../src/http/define-route.ts";
import { testContext } from "../support/context.ts";
import { appOf } from "../support/http/app.ts";

describe("respond() with one object on two routes", () => {
  const record = { id: 1, secret: "s3cret" };
  const route = (
    path: `/${string}`,
    schema: z.ZodType,
    cache: "no-store" | { sMaxAge: number; staleWhileRevalidate: number },
  ) =>
    defineRoute({
      operationId: path,
      method: "get",
      path,
      summary: "A record",
      tag: "Things",
      access: "public",
      cache,
      response: { schema, description: "A record" },
      errors: [],
      handler: () => record,
    });
  const cached = { sMaxAge: 5, staleWhileRevalidate: 30 };

  test("applies the schema of each route", async () => {
    const inside = route("/inside", z.object({ id: z.int(), secret: z.string() }), "no-store");
    const outside = route("/outside", z.object({ id: z.int() }), cached);
    const { send } = appOf([inside, outside]);
    await send("/inside");
    const response = await send("/outside");
    expect(await response.text()).toBe('{"id":1}');
    expect(response.headers.has("etag")).toBe(true);
  });

  test("states the limit that applies to each request", async () => {
    const served = route("/limited", z.object({ id: z.int() }), cached);
    const policyWith = async (reads: number): Promise<(string | null)[]> => {
      const { limits } = testContext().config;
      const { send } = appOf([served], { limits: { ...limits, reads } });
      const answers = [await send("/limited"), await send("/limited")];
      return answers.map(({ headers }) => headers.get("ratelimit-policy"));
    };
    expect(await policyWith(7)).toEqual(['"reads";q=7;w=60', '"reads";q=7;w=60']);
    expect(await policyWith(9)).toEqual(['"reads";q=9;w=60', '"reads";q=9;w=60']);
  });
});
