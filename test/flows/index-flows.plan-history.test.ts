import fc from "fast-check";
import { expect, test } from "vitest";
import { splitBackfill } from "../../src/flows/index-flows.ts";
import { countBlocks, intersectRange, uniteRanges } from "../../src/lib/block-ranges.ts";

const gaps = fc
  .array(fc.tuple(fc.nat(5_000), fc.nat(900)), { minLength: 1, maxLength: 6 })
  .map((list) => uniteRanges(list.map(([from, more]) => ({ from, to: from + more }))));

test("splitBackfill() covers every missing block once in about equal parts", () => {
  fc.assert(
    fc.property(gaps, fc.integer({ min: 1, max: 200 }), (missing, span) => {
      const parts = splitBackfill(missing, span);
      expect(
        parts
          .flatMap((part) => intersectRange(missing, part))
          .reduce((sum, { from, to }) => sum + to - from + 1, 0),
      ).toBe(countBlocks(missing));
      expect(uniteRanges(parts)).toHaveLength(1);
      const share = Math.ceil(countBlocks(missing) / parts.length);
      for (const part of parts) expect(countBlocks(intersectRange(missing, part))).toBeLessThanOrEqual(share);
      expect(parts.length).toBeLessThanOrEqual(4);
    }),
  );
});

test("splitBackfill() returns no part for nothing missing and one for a little", () => {
  expect(splitBackfill([], 100)).toEqual([]);
  expect(splitBackfill([{ from: 5, to: 300 }], 100)).toEqual([{ from: 5, to: 300 }]);
});
