import { afterEach, expect, test } from "vitest";
import { appOf } from "../support/http/app.ts";
import { routeDoing, thingsGet } from "../support/http/routes.ts";

const PlatformResponse = globalThis.Response;

afterEach(() => {
  globalThis.Response = PlatformResponse;
});

const failing = routeDoing(() => {
  throw new Error("no");
});

test.each([
  ["200", "/things/1"],
  ["422", "/things/x"],
  ["500", "/work"],
  ["404", "/nowhere"],
])("a response with status %s is constructed once, with all its headers", async (status, path) => {
  const { send } = appOf([thingsGet, failing]);
  let made = 0;
  const counted: typeof PlatformResponse.json = (value, init) => {
    made += 1;
    return PlatformResponse.json(value, init);
  };
  globalThis.Response = new Proxy(PlatformResponse, {
    construct(target, values, caller) {
      made += 1;
      return Reflect.construct(target, values, caller);
    },
    get: (target, name) => (name === "json" ? counted : Reflect.get(target, name)),
  });
  const response = await send(path, { headers: { origin: "https://app.example" } });
  expect([String(response.status), made]).toEqual([status, 1]);
});
