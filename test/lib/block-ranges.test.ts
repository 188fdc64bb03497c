import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type BlockSet,
  countBlocks,
  intersectRange,
  subtractRanges,
  uniteRanges,
} from "../../src/lib/block-ranges.ts";

const span = fc.tuple(fc.nat(60), fc.nat(12)).map(([from, more]) => ({ from, to: from + more }));
const spans = fc.array(span, { maxLength: 8 });
/** The same set, block by block. */
const blocksOf = (set: BlockSet): number[] =>
  set.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, index) => from + index));
const distinct = (blocks: readonly number[]): number[] => [...new Set(blocks)].sort((a, b) => a - b);

describe("block sets", () => {
  test("uniteRanges() returns the union in the fewest ranges", () => {
    fc.assert(
      fc.property(spans, (list) => {
        const united = uniteRanges(list);
        expect(blocksOf(united)).toEqual(distinct(blocksOf(list)));
        for (const [index, { from }] of united.entries())
          expect(from).toBeGreaterThan((united[index - 1]?.to ?? -2) + 1);
        expect(countBlocks(united)).toBe(distinct(blocksOf(list)).length);
      }),
    );
  });

  test("subtractRanges() and intersectRange() together give the whole range", () => {
    fc.assert(
      fc.property(spans, span, (list, whole) => {
        const held = intersectRange(uniteRanges(list), whole);
        const missing = subtractRanges(whole, uniteRanges(list));
        expect(uniteRanges([...held, ...missing])).toEqual([whole]);
        expect(blocksOf(held).filter((block) => blocksOf(missing).includes(block))).toEqual([]);
      }),
    );
  });

  test("uniteRanges() leaves out empty ranges", () => {
    expect(uniteRanges([{ from: 5, to: 4 }])).toEqual([]);
    expect(subtractRanges({ from: 5, to: 4 }, [])).toEqual([]);
    expect(intersectRange([{ from: 1, to: 9 }], { from: 10, to: 12 })).toEqual([]);
  });
});
