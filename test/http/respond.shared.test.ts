import { describe, expect, test } from "vitest";
import * as z from "zod";
import { defineRoute } from "../../src/http/define-route.ts";
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
});
