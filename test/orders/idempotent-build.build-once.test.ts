import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Database } from "../../src/db/database-client.ts";
import { BUILD_DEADLINE_MS } from "../../src/lib/durations.ts";
import { Timing } from "../../src/lib/request-timing.ts";
import { buildOnce } from "../../src/orders/idempotent-build.ts";
import { BuildInput } from "../../src/schemas/build-input-schema.ts";
import { testContext } from "../support/context.ts";
import { USDC, USER, VAULT } from "../support/deposits/fixtures.ts";

const input = BuildInput.parse({
  from_chain_id: 31337,
  from_token: USDC,
  from_amount: "1000000",
  vault_id: `31337:${VAULT}`,
  user_address: USER,
});

const request = {
  asked: input,
  user: input.user_address,
  build: () => Promise.reject(new Error("not built")),
};

/** A database of which every key is claimed at once when `free`, else held by somebody who never answers. */
function databaseSaying(free: boolean) {
  const asked = { times: 0 };
  const rows = free ? [{ owner: testContext().randomId() }] : [];
  const run = async (): Promise<unknown> => {
    asked.times += 1;
    return rows;
  };
  return { asked, db: { run } as unknown as Database };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("buildOnce() with concurrent requests under one idempotency key", () => {
  test("queries the database once per second and build, however many wait in the same isolate", async () => {
    const { asked, db } = databaseSaying(true);
    let fail: (error: Error) => void = () => undefined;
    const charge = () => new Promise<void>((_, reject) => (fail = reject));
    const ask = () => buildOnce({ ...testContext({ db }), charge }, { ...request, key: "crowd" });
    const first = ask();
    const twins = Array.from({ length: 50 }, () => ask());
    const ends = Promise.allSettled([first, ...twins]);
    await vi.advanceTimersByTimeAsync(5_500);
    // One claims the key, and each second one renews the claim.
    expect(asked.times).toBe(6);
    for (let index = 0; index <= twins.length; index += 1) {
      fail(new Error(`over ${index}`));
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect((await ends).map(({ status }) => status)).toEqual(Array(51).fill("rejected"));
  });

  test("stops polling after the deadline", async () => {
    const { asked, db } = databaseSaying(false);
    const ctx = { ...testContext({ db }), timing: new Timing(() => Date.now()) };
    const end = buildOnce(ctx, { ...request, key: "held" }).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(BUILD_DEADLINE_MS + 2_000);
    expect(await end).toMatchObject({ code: "upstream_timeout" });
    expect(asked.times).toBeLessThan(30);
    const before = asked.times;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked.times).toBe(before);
  });
});
