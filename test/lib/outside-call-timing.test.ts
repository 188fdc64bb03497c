import { describe, expect, test } from "vitest";
import { Timing } from "../../src/lib/outside-call-timing.ts";

/** A call that settles when the test says so. */
function held() {
  let settle: { resolve: (value: string) => void; reject: (error: Error) => void } | null = null;
  const promise = new Promise<string>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return {
    call: () => promise,
    resolve: () => settle?.resolve("done"),
    reject: () => settle?.reject(new Error("no")),
  };
}

function clocked() {
  const clock = { now: 1_000 };
  return { clock, timing: new Timing(() => clock.now) };
}

describe("Timing", () => {
  test("reports only the total before any call", () => {
    const { clock, timing } = clocked();
    clock.now += 12.4;
    expect(timing.header()).toBe("total;dur=12");
    expect(timing.requests("rpc")).toBe(0);
  });

  test("counts overlapping calls by the wall clock, not by their sum", async () => {
    const { clock, timing } = clocked();
    const [first, second] = [held(), held()];
    const a = timing.track("rpc", first.call);
    clock.now += 10;
    const b = timing.track("rpc", second.call);
    clock.now += 10;
    first.resolve();
    expect(await a).toBe("done");
    clock.now += 10;
    second.resolve();
    await b;
    clock.now += 5;
    expect(timing.header()).toBe('total;dur=35, rpc;dur=30;desc="2"');
  });

  test("excludes the time between calls, and counts systems separately", async () => {
    const { clock, timing } = clocked();
    const spend = (ms: number) => async () => {
      clock.now += ms;
    };
    await timing.track("db", spend(7));
    clock.now += 100;
    await timing.track("db", spend(3));
    await timing.track("redis", spend(1));
    expect(timing.header()).toBe('total;dur=111, db;dur=10;desc="2", redis;dur=1;desc="1"');
    expect([timing.requests("db"), timing.requests("redis"), timing.requests("provider")]).toEqual([2, 1, 0]);
  });

  test("counts failed calls and rethrows their errors", async () => {
    const { clock, timing } = clocked();
    const failing = held();
    const tracked = timing.track("provider", failing.call);
    clock.now += 4;
    failing.reject();
    await expect(tracked).rejects.toThrow("no");
    const thrown = timing.track("provider", () => {
      throw new Error("at once");
    });
    await expect(thrown).rejects.toThrow("at once");
    expect(timing.header()).toBe('total;dur=4, provider;dur=4;desc="2"');
  });
});
