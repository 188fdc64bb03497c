import { expect, test } from "vitest";
import { failure } from "../../src/errors.ts";
import { type Build, distrusted, providerOf, quoteOf, search } from "../support/orders/route-search.ts";

test("searchRoutes() ends with an error that is no route's fault, and blames nobody", async () => {
  const error = failure("upstream_rejected", "the vault pays another account");
  const build: Build = async () => {
    throw error;
  };
  const providers = ["one", "two"].map((name) => providerOf(name, [quoteOf(name)]));
  const { found, tried, logged } = await search(providers, { build, isFinal: (one) => one === error });
  await expect(found).rejects.toBe(error);
  expect(tried).toHaveLength(1);
  expect(logged.filter(({ event }) => event === "route_refused")).toEqual([]);
  expect(distrusted(logged)).toEqual([]);
});

test("searchRoutes() goes on after a defect, and logs it as an error", async () => {
  const build: Build = async ({ option }) => {
    if (option.provider === "one") throw new RangeError("a number that does not fit");
    return "built";
  };
  const providers = ["one", "two"].map((name) => providerOf(name, [quoteOf(name)]));
  const { found, logged } = await search(providers, { build });
  expect((await found).built).toBe("built");
  expect(logged.filter(({ event }) => event === "route_refused")).toMatchObject([{ level: "error" }]);
});
