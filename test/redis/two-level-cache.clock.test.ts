import { describe, expect, test } from "vitest";
import { stringifyWithBigints } from "../../src/lib/bigint-json.ts";
import { FRESH, installFakeClock, pass, value, world } from "../support/redis/cache-world.ts";

installFakeClock();

describe("cached() with a value from a clock that runs ahead", () => {
  test("treats it as no fresher than a value of now", async () => {
    const { redis, source, isolate } = world();
    const t = Date.now() + 365 * 86_400_000;
    await redis.set("cache:k", stringifyWithBigints({ v: value(9), t }), null);
    const requests = isolate();
    expect((await requests().cached(source.policy())).value).toEqual(value(1));
    await pass(FRESH);
    expect((await requests().cached(source.policy())).value).toEqual(value(1));
  });
});
