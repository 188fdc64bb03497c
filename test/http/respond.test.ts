import { describe, expect, test } from "vitest";
import * as z from "zod";
import { defineRoute } from "../../src/http/define-route.ts";
import { appOf, posted, read } from "../support/http/app.ts";
import { routeDoing, thingsGet, thingsList, thingsMake } from "../support/http/routes.ts";

const CACHED = { sMaxAge: 5, staleWhileRevalidate: 30 } as const;

describe("respond()", () => {
  test("removes undeclared fields at any depth", async () => {
    const deep = defineRoute({
      operationId: "deep.get",
      method: "get",
      path: "/deep",
      summary: "Deep",
      tag: "Things",
      access: "public",
      cache: "no-store",
      response: { schema: z.object({ list: z.array(z.object({ a: z.int() })) }), description: "Deep" },
      errors: [],
      handler: () => ({ list: [{ a: 1, secret: "s3cret" }], secret: "s3cret" }),
    });
    const { send } = appOf([thingsGet, deep]);
    expect(await read(await send("/things/3"))).toEqual({
      status: 200,
      body: { thing_id: 3, name: "a thing" },
    });
    expect(await (await send("/deep")).text()).toBe('{"list":[{"a":1}]}');
  });

  test.each([{ done: "yes" }, {}, null, "text", [], undefined])(
    "answers 500 without the value when the schema refuses %j",
    async (value) => {
      const { send } = appOf([routeDoing(() => value)]);
      expect(await read(await send("/work"))).toMatchObject({
        status: 500,
        body: { code: "internal", detail: "an unexpected error occurred" },
      });
    },
  );

  test("uses the declared status", async () => {
    const { send } = appOf([thingsMake]);
    const owner = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
    expect((await send("/things/1?kind=a", posted({ owner, amount: "1" }))).status).toBe(201);
  });

  test("adds the headers of a Reply", async () => {
    const response = await appOf([thingsList]).send("/things");
    expect(response.headers.get("link")).toBe('</things?cursor=x>; rel="next"');
    expect(await response.json()).toEqual([{ thing_id: 1, name: "one" }]);
  });
});

describe("respond() caching", () => {
  test("sets Cache-Control as the route declares it", async () => {
    const cached = await appOf([thingsGet]).send("/things/1");
    expect(cached.headers.get("cache-control")).toBe(
      "public, max-age=0, s-maxage=5, stale-while-revalidate=30",
    );
    const fresh = await appOf([thingsList]).send("/things");
    expect(fresh.headers.get("cache-control")).toBe("private, no-store");
    expect(fresh.headers.has("etag")).toBe(false);
  });

  test("sets no-store on errors", async () => {
    const { send } = appOf([thingsGet]);
    for (const path of ["/things/x", "/nowhere"]) {
      const response = await send(path);
      expect([response.headers.get("cache-control"), response.headers.has("etag")]).toEqual([
        "private, no-store",
        false,
      ]);
    }
  });

  test("derives the ETag from the content", async () => {
    const tag = async (path: string) => (await appOf([thingsGet]).send(path)).headers.get("etag");
    expect(await tag("/things/1")).toMatch(/^"[0-9a-f]{24}"$/);
    expect(await tag("/things/1")).toBe(await tag("/things/1"));
    expect(await tag("/things/1")).not.toBe(await tag("/things/2"));
  });

  test("answers 304 without a body for a matching If-None-Match", async () => {
    const { send } = appOf([thingsGet]);
    const etag = (await send("/things/1")).headers.get("etag") ?? "";
    const again = await send("/things/1", { headers: { "if-none-match": etag } });
    expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag]);
    // No shared cache may hold an answer without a body in place of one.
    expect(again.headers.get("cache-control")).toBe("private, max-age=0");
    const other = await send("/things/2", { headers: { "if-none-match": etag } });
    expect(await read(other)).toEqual({ status: 200, body: { thing_id: 2, name: "a thing" } });
  });

  test.each<[string, (etag: string) => string, number]>([
    ["the tag that a compressing proxy made weak", (etag) => `W/${etag}`, 304],
    ["a list with the tag", (etag) => `"other", ${etag}`, 304],
    ["anything", () => "*", 304],
    ["another tag", () => '"other"', 200],
    ["a part of the tag", (etag) => etag.slice(0, -2), 200],
    ["nothing", () => "", 200],
  ])("compares If-None-Match weakly with %s", async (_what, header, status) => {
    const { send } = appOf([thingsGet]);
    const etag = (await send("/things/1")).headers.get("etag") ?? "";
    const again = await send("/things/1", { headers: { "if-none-match": header(etag) } });
    expect([again.status, (await again.text()) === ""]).toEqual([status, status === 304]);
  });

  test("gives a stored response the headers of the first, but what belongs to a request", async () => {
    let value = { done: true };
    const { send } = appOf([routeDoing(() => value, CACHED)]);
    const ask = async (init: RequestInit = {}) => Object.fromEntries((await send("/work", init)).headers);
    const first = await ask({ headers: { "x-request-id": "one" } });
    expect(first).toMatchObject({
      ...{
        "content-type": "application/json",
        etag: expect.any(String),
        "ratelimit-policy": expect.any(String),
      },
      ...{ "access-control-allow-origin": "*", "x-content-type-options": "nosniff" },
      "access-control-expose-headers": expect.stringContaining("ETag"),
      "strict-transport-security": expect.stringContaining("max-age"),
    });
    expect(first).not.toHaveProperty("x-request-id");
    expect(await ask({ headers: { "x-request-id": "two" } })).toEqual(first);
    const mine = await ask({ headers: { "x-request-id": "three", authorization: "Bearer x" } });
    expect(mine).toMatchObject({ "cache-control": "private, no-store", "x-request-id": "three" });
    value = { done: false };
    const changed = await ask();
    expect(changed).toEqual({ ...first, etag: expect.not.stringMatching(first["etag"] ?? "") });
  });

  test("serializes the same object once", async () => {
    let parsed = 0;
    const counted = z.object({ n: z.int() }).transform((value) => {
      parsed += 1;
      return value;
    });
    const kept = { n: 1 };
    let value: { n: number } = kept;
    const route = defineRoute({
      operationId: "kept.get",
      method: "get",
      path: "/kept",
      summary: "Kept",
      tag: "Things",
      access: "public",
      cache: CACHED,
      response: { schema: counted, description: "Kept" },
      errors: [],
      handler: () => value,
    });
    const { send } = appOf([route]);
    const texts = [await (await send("/kept")).text(), await (await send("/kept")).text()];
    value = { n: 2 };
    texts.push(await (await send("/kept")).text());
    expect([texts, parsed]).toEqual([['{"n":1}', '{"n":1}', '{"n":2}'], 2]);
  });
});
