import { expect, test } from "vitest";
import type { ServedRoute } from "../../src/http/define-route.ts";
import { MemoByUrl } from "../../src/http/memo-by-url.ts";
import { thingsMake } from "../support/http/routes.ts";

const route: ServedRoute = thingsMake;
const other: ServedRoute = { ...thingsMake };

/** Returns a memo and the number of values that it has computed. */
function counted() {
  const memo = new MemoByUrl<number>();
  let made = 0;
  const get = (of: ServedRoute, url: string): number => memo.get(of, url, () => ++made);
  return { get, made: () => made };
}

test("computes a value once for each route and URL", () => {
  const { get, made } = counted();
  expect([get(route, "/a"), get(route, "/b"), get(other, "/a")]).toEqual([1, 2, 3]);
  expect([get(route, "/a"), get(route, "/b"), get(other, "/a")]).toEqual([1, 2, 3]);
  expect(made()).toBe(3);
});

test("keeps 500 URLs of a route, and none of more than 300 characters", () => {
  const { get } = counted();
  for (let index = 0; index < 501; index += 1) get(route, `/${index}`);
  expect([get(route, "/1"), get(route, "/500")]).toEqual([2, 501]);
  expect(get(route, "/0")).toBe(502);
  const long = `/${"a".repeat(300)}`;
  expect([get(route, long), get(route, long)]).toEqual([503, 504]);
});

test("keeps no error", () => {
  const memo = new MemoByUrl<number>();
  const fail = (): number => {
    throw new Error("no value");
  };
  expect(() => memo.get(route, "/a", fail)).toThrow("no value");
  expect(memo.get(route, "/a", () => 1)).toBe(1);
});
