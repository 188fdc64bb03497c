import { expect, test } from "vitest";
import { mapConcurrently } from "../../src/lib/concurrency.ts";

/** Works on twenty items, and tells how many were worked on at the same time. */
async function peakOf(doubtful: (item: number) => boolean) {
  const inFlight = { doubtful: 0, all: 0 };
  const peak = { doubtful: 0, all: 0 };
  const begun: number[] = [];
  const items = Array.from({ length: 20 }, (_, index) => index);
  const results = await mapConcurrently(items, {
    doubtful,
    work: async (item) => {
      begun.push(item);
      const kinds = doubtful(item) ? (["doubtful", "all"] as const) : (["all"] as const);
      for (const kind of kinds) {
        inFlight[kind] += 1;
        peak[kind] = Math.max(peak[kind], inFlight[kind]);
      }
      for (let turn = 0; turn < 3; turn += 1) await Promise.resolve();
      for (const kind of kinds) inFlight[kind] -= 1;
      return item * 10;
    },
  });
  expect(results).toEqual(items.map((item) => item * 10));
  return { ...peak, begun };
}

test("mapConcurrently() works on two doubtful items at a time and keeps the order of results", async () => {
  const { doubtful, all, begun } = await peakOf((item) => item >= 10);
  expect({ doubtful, all }).toEqual({ doubtful: 2, all: 5 });
  expect(begun.slice(0, 5).sort((a, b) => a - b)).toEqual([0, 1, 2, 10, 11]);
});

test("mapConcurrently() leaves a connection free whatever the items are", async () => {
  expect(await peakOf(() => false)).toMatchObject({ doubtful: 0, all: 5 });
});

test("mapConcurrently() resolves at once without items", async () => {
  expect(await mapConcurrently([], { doubtful: () => true, work: async () => 1 })).toEqual([]);
});
