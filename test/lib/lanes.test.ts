import { expect, test } from "vitest";
import { workInLanes } from "../../src/lib/lanes.ts";

test("doubtful items are worked on so many at a time, the others all at once, and results keep their order", async () => {
  const inFlight = { doubtful: 0, others: 0 };
  const peak = { doubtful: 0, others: 0 };
  const items = Array.from({ length: 20 }, (_, index) => index);
  const results = await workInLanes(items, {
    doubtful: (item) => item % 2 === 0,
    atOnce: 2,
    work: async (item) => {
      const kind = item % 2 === 0 ? "doubtful" : "others";
      inFlight[kind] += 1;
      peak[kind] = Math.max(peak[kind], inFlight[kind]);
      for (let turn = 0; turn < 3; turn += 1) await Promise.resolve();
      inFlight[kind] -= 1;
      return item * 10;
    },
  });
  expect(results).toEqual(items.map((item) => item * 10));
  expect(peak).toEqual({ doubtful: 2, others: 10 });
});

test("nothing to do is done at once", async () => {
  expect(await workInLanes([], { doubtful: () => true, atOnce: 2, work: async () => 1 })).toEqual([]);
});
