import { describe, expect, test } from "vitest";
import { FRESH, installFakeClock, pass, STALE, world } from "../support/redis/cache-world.ts";

installFakeClock();

describe("a value whose load was cancelled", () => {
  test("is loaded once for all who waited for a cancelled load, and later calls do not wait for that", async () => {
    const { source, isolate } = world();
    const requests = isolate();
    const policy = source.policy({ sharing: "isolate" });
    source.hanging = true;
    void requests().cached(policy);
    await pass(1_000);
    source.hanging = false;
    source.ms = 100;
    const waiting = Array.from({ length: 20 }, () => requests().cached(policy));
    await pass(2_000);
    const later = requests().cached(policy);
    await pass(100);
    expect((await Promise.all([...waiting, later])).map(({ value: { n } }) => n)).toEqual(Array(21).fill(2));
    await pass(STALE);
    const reloaded = requests().cached(policy);
    await pass(100);
    expect((await reloaded).value.n).toBe(3);
    expect(source.loads).toBe(3);
  });

  test("is refreshed in the background again after a refresh was cancelled", async () => {
    const { source, isolate } = world();
    const requests = isolate();
    const policy = source.policy({ sharing: "isolate" });
    await requests().cached(policy);
    await pass(FRESH);
    source.hanging = true;
    await requests().cached(policy);
    source.hanging = false;
    await pass(2_999);
    expect((await requests().cached(policy)).value.n).toBe(1);
    await pass(1);
    await requests().cached(policy);
    await pass(0);
    expect([(await requests().cached(policy)).value.n, source.loads]).toEqual([3, 3]);
  });

  test("is loaded by each request itself when every load it waits for is cancelled", async () => {
    const { source, isolate } = world();
    const requests = isolate();
    source.hanging = true;
    for (let request = 0; request < 9; request += 1)
      void requests().cached(source.policy({ sharing: "isolate" }));
    await pass(6_000);
    expect(source.loads).toBe(9);
  });
});
