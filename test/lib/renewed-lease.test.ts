import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type HeldLease, workUnderLease } from "../../src/lib/renewed-lease.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Works until `end` is called, under a lease whose renewals these outcomes have; then `true`. */
function start(outcomes: (boolean | Error)[]) {
  const renewed = { times: 0 };
  const renew = async (): Promise<boolean> => {
    renewed.times += 1;
    const outcome = outcomes.shift() ?? true;
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  let end: (error: Error | null) => void = () => undefined;
  let lease: HeldLease | null = null;
  const ended = workUnderLease({ everyMs: 1_000, renew }, (held) => {
    lease = held;
    return new Promise<string>((resolve, reject) => {
      end = (error) => (error === null ? resolve("done") : reject(error));
    });
  });
  const isHeld = (): boolean | undefined => lease?.isHeld();
  return { renewed, ended, isHeld, end: (error: Error | null) => end(error) };
}

describe("workUnderLease()", () => {
  test("renews at each interval until the work ends", async () => {
    const { renewed, ended, end, isHeld } = start([]);
    await vi.advanceTimersByTimeAsync(3_500);
    expect([renewed.times, isHeld()]).toEqual([3, true]);
    end(null);
    expect(await ended).toBe("done");
    await vi.advanceTimersByTimeAsync(10_000);
    expect(renewed.times).toBe(3);
  });

  test("goes on renewing after an error, and stops once somebody else has the lease", async () => {
    const { renewed, ended, end, isHeld } = start([new Error("no answer"), true, false]);
    await vi.advanceTimersByTimeAsync(2_500);
    expect(isHeld()).toBe(true);
    await vi.advanceTimersByTimeAsync(10_000);
    expect([renewed.times, isHeld()]).toEqual([3, false]);
    end(null);
    expect(await ended).toBe("done");
  });

  test("stops renewing when the work throws", async () => {
    const { renewed, ended, end } = start([]);
    const outcome = expect(ended).rejects.toThrow("no");
    end(new Error("no"));
    await outcome;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(renewed.times).toBe(0);
  });
});
