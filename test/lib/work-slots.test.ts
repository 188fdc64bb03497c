import { describe, expect, test } from "vitest";
import { WorkSlots } from "../../src/lib/work-slots.ts";

describe("WorkSlots", () => {
  test("gives no more slots than its limit, and a freed one again", () => {
    const slots = new WorkSlots(2, () => 0);
    const [first, second, third] = [slots.take(), slots.take(), slots.take()];
    expect([typeof first, typeof second, third]).toEqual(["function", "function", null]);
    first?.();
    // Freed twice, it is still one slot.
    first?.();
    expect([typeof slots.take(), slots.take()]).toEqual(["function", null]);
  });

  test("frees a slot that was abandoned for 30 seconds, and not one that its holder freed since", () => {
    let now = 0;
    const slots = new WorkSlots(2, () => now);
    const free = slots.take();
    now = 20_000;
    slots.take();
    now = 29_999;
    expect(slots.take()).toBeNull();
    now = 30_000;
    expect(slots.take()).not.toBeNull();
    // The late holder of the abandoned slot frees no other one.
    free?.();
    expect(slots.take()).toBeNull();
  });
});
