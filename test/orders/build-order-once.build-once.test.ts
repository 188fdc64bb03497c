import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Database } from "../../src/db/database-client.ts";
import { failure } from "../../src/errors.ts";
import { BUILD_DEADLINE_MS } from "../../src/lib/durations.ts";
import { Timing } from "../../src/lib/outside-call-timing.ts";
import { buildOnce } from "../../src/orders/build-order-once.ts";
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

/** A context whose clock runs with the test's timers. */
const liveContext = (db: Database) => {
  const now = () => Date.now();
  return { ...testContext({ db }), now, timing: new Timing(now) };
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("buildOnce() with concurrent requests under one idempotency key", () => {
  test("queries the database once per second and build, however many wait in the same isolate", async () => {
    const { asked, db } = databaseSaying(true);
    let fail: (error: Error) => void = () => undefined;
    let charged = 0;
    const charge = () => {
      charged += 1;
      return new Promise<void>((_, reject) => (fail = reject));
    };
    const ask = () => buildOnce({ ...liveContext(db), charge }, { ...request, key: "crowd" });
    const first = ask();
    const twins = Array.from({ length: 59 }, () => ask());
    const ends = Promise.all([first, ...twins].map((end) => end.catch((error: unknown) => error)));
    await vi.advanceTimersByTimeAsync(5_500);
    // One claims the key, and each second one renews the claim.
    expect(asked.times).toBe(6);
    fail(failure("price_unsafe", "too dear", { subject: "route" }));
    await vi.advanceTimersByTimeAsync(1_200);
    const refusal = { code: "price_unsafe", message: "too dear", members: { subject: "route" } };
    expect(await ends).toMatchObject(Array(60).fill(refusal));
    expect(charged).toBe(1);

    const later = ask().catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(10);
    expect(charged).toBe(2);
    fail(new Error("over"));
    expect(await later).toMatchObject({ message: "over" });
  });

  test("shares the failure of another isolate, and none that is older than the request", async () => {
    const { db } = databaseSaying(false);
    const stored = new Map<string, string>();
    const get = async (key: string) => stored.get(key) ?? null;
    const redis = Object.assign(testContext().redis, { get });
    const ask = () => {
      const end = buildOnce({ ...liveContext(db), redis }, { ...request, key: "elsewhere" });
      return end.catch((error: unknown) => error);
    };
    const waiting = ask();
    await vi.advanceTimersByTimeAsync(200);
    redis.get = async () =>
      JSON.stringify({ code: "no_route", detail: "none", members: { reasons: [] }, at: Date.now() });
    await vi.advanceTimersByTimeAsync(1_500);
    expect(await waiting).toMatchObject({ code: "no_route", members: { reasons: [] } });

    const old = Date.now() - 1;
    redis.get = async () => JSON.stringify({ code: "no_route", detail: "none", members: {}, at: old });
    const later = ask();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await later).toMatchObject({ code: "upstream_timeout" });
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
