import { Hono } from "hono";
import { describe, expect, test } from "vitest";
import type { AppEnv } from "../../src/http/hono-env.ts";
import { rateLimitHeaders } from "../../src/http/http-rate-limit.ts";
import type { CountedRequest } from "../../src/partners/count-rate-limit.ts";
import { parseFieldList } from "../support/standards/structured-fields.ts";

const text = (value: string) => ({ string: value });
const token = (value: string) => ({ token: value });

/**
 * Vectors of the standard's own suite, restated. Source: httpwg/structured-field-tests, `list.json`, `param-list.json`,
 * `string.json` and `number.json`.
 */
describe("the parser of structured fields", () => {
  test.each([
    ["1, 42", [1, 42]],
    ["", []],
    ["42", [42]],
    ["1,42", [1, 42]],
    ["1 , 42", [1, 42]],
    ["-42", [-42]],
    ["1.5", [1.5]],
    ['"foo bar"', [text("foo bar")]],
    ['""', [text("")]],
    ['"b\\"a\\\\r"', [text('b"a\\r')]],
    ["?1, ?0", [true, false]],
  ])("parses %s", (raw, items) => {
    expect(parseFieldList(raw).map(({ item }) => item)).toEqual(items);
  });

  test.each([
    [
      'abc_123;a=1;b=2; cdef_456, ghi;q=9;r="+w"',
      [
        { item: token("abc_123"), parameters: { a: 1, b: 2, cdef_456: true } },
        { item: token("ghi"), parameters: { q: 9, r: text("+w") } },
      ],
    ],
    ["text/html;q=1.0;a", [{ item: token("text/html"), parameters: { q: 1, a: true } }]],
    [
      "text/html,text/plain;q=0.5",
      [
        { item: token("text/html"), parameters: {} },
        { item: token("text/plain"), parameters: { q: 0.5 } },
      ],
    ],
    [
      "text/html  ,  text/plain;  q=0.5;  charset=utf-8",
      [
        { item: token("text/html"), parameters: {} },
        { item: token("text/plain"), parameters: { q: 0.5, charset: token("utf-8") } },
      ],
    ],
  ])("parses %s with its parameters", (raw, list) => {
    expect(parseFieldList(raw)).toEqual(list);
  });

  test.each([
    "1, 42,",
    "1,,42",
    "text/html, text/plain;q =0.5",
    "text/html, text/plain;q= 0.5",
    "text/html, text/plain ;q=0.5",
    "text/html,text/plain;q=0.5,",
    '"foo',
    '"foo\\"',
    "'foo'",
    '"f\u00fc\u00fc"',
    '"\\f"',
    "1.",
    "1.1234",
    "1000000000000000",
    "--1",
    "a;A=1",
  ])("refuses %s", (raw) => {
    expect(() => parseFieldList(raw)).toThrow();
  });
});

async function headersOf(...counted: CountedRequest[]): Promise<Headers> {
  const app = new Hono<AppEnv>();
  app.use(rateLimitHeaders());
  app.get("/", (c) => {
    c.set("counted", counted);
    return c.text("");
  });
  return (await app.request("/")).headers;
}

const counted = (own: Partial<CountedRequest>): CountedRequest => ({
  ...{ name: "quote", limit: 60, exact: true },
  count: { admitted: true, remaining: 59, resetMs: 59_001 },
  ...own,
});

describe("RateLimit and RateLimit-Policy are structured fields (draft-ietf-httpapi-ratelimit-headers)", () => {
  test.each([
    ["an exact count", {}, { r: 59, t: 60 }],
    ["the last request", { count: { admitted: true, remaining: 0, resetMs: 1 } }, { r: 0, t: 1 }],
    ["a refusal", { count: { admitted: false, remaining: 0, resetMs: 0 } }, { r: 0, t: 1 }],
    [
      "a refusal by the platform",
      { exact: false, count: { admitted: false, remaining: null, resetMs: null } },
      { r: 0, t: 60 },
    ],
  ])("for %s", async (_what, own, parameters) => {
    const headers = await headersOf(counted(own));
    expect(parseFieldList(headers.get("ratelimit-policy") ?? "")).toEqual([
      { item: text("quote"), parameters: { q: 60, w: 60 } },
    ]);
    expect(parseFieldList(headers.get("ratelimit") ?? "")).toEqual([{ item: text("quote"), parameters }]);
  });

  test("two limits are two items", async () => {
    const user = counted({
      name: "user_build",
      limit: 20,
      count: { admitted: true, remaining: 3, resetMs: 7_000 },
    });
    const headers = await headersOf(counted({ name: "build" }), user);
    expect(parseFieldList(headers.get("ratelimit-policy") ?? "")).toEqual([
      { item: text("build"), parameters: { q: 60, w: 60 } },
      { item: text("user_build"), parameters: { q: 20, w: 60 } },
    ]);
    expect(parseFieldList(headers.get("ratelimit") ?? "")).toEqual([
      { item: text("build"), parameters: { r: 59, t: 60 } },
      { item: text("user_build"), parameters: { r: 3, t: 7 } },
    ]);
  });

  test("an approximate count gives its policy only", async () => {
    const headers = await headersOf(counted({ exact: false }));
    expect([headers.has("ratelimit-policy"), headers.has("ratelimit")]).toEqual([true, false]);
  });
});
