import { describe, expect, test } from "vitest";
import { withDeadline } from "../../src/lib/timers.ts";

const late = () => new Error("late");
const never = new Promise<never>(() => undefined);

describe("withDeadline", () => {
  test("resolves with the work's value", async () => {
    expect(await withDeadline(Promise.resolve(5), { ms: 1_000, late })).toBe(5);
  });

  test("throws what the work throws", async () => {
    await expect(withDeadline(Promise.reject(new Error("own")), { ms: 1_000, late })).rejects.toThrow("own");
  });

  test.each([5, 0, -1])("throws late() after %i ms when the work hangs", async (ms) => {
    await expect(withDeadline(never, { ms, late })).rejects.toThrow("late");
  });

  test("swallows an error after the deadline", async () => {
    const work = new Promise<never>((_resolve, reject) => setTimeout(() => reject(new Error("own")), 10));
    await expect(withDeadline(work, { ms: 1, late })).rejects.toThrow("late");
    await new Promise((resolve) => setTimeout(resolve, 20));
  });
});
