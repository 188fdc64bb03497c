import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type BlockSet, countBlocks, unite, within, without } from "../../src/lib/blocks.ts";

const span = fc.tuple(fc.nat(60), fc.nat(12)).map(([from, more]) => ({ from, to: from + more }));
const spans = fc.array(span, { maxLength: 8 });
/** The same set, block by block. */
const blocksOf = (set: BlockSet): number[] =>
  set.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, index) => from + index));
const distinct = (blocks: readonly number[]): number[] => [...new Set(blocks)].sort((a, b) => a - b);

describe("a set of blocks", () => {
  test("holds what any of its spans holds, in the fewest spans", () => {
    fc.assert(
      fc.property(spans, (list) => {
        const united = unite(list);
        expect(blocksOf(united)).toEqual(distinct(blocksOf(list)));
        for (const [index, { from }] of united.entries())
          expect(from).toBeGreaterThan((united[index - 1]?.to ?? -2) + 1);
        expect(countBlocks(united)).toBe(distinct(blocksOf(list)).length);
      }),
    );
  });

  test("and what it lacks of a span are together that span", () => {
    fc.assert(
      fc.property(spans, span, (list, whole) => {
        const held = within(unite(list), whole);
        const missing = without(whole, unite(list));
        expect(unite([...held, ...missing])).toEqual([whole]);
        expect(blocksOf(held).filter((block) => blocksOf(missing).includes(block))).toEqual([]);
      }),
    );
  });

  test("leaves out spans without blocks", () => {
    expect(unite([{ from: 5, to: 4 }])).toEqual([]);
    expect(without({ from: 5, to: 4 }, [])).toEqual([]);
    expect(within([{ from: 1, to: 9 }], { from: 10, to: 12 })).toEqual([]);
  });
});
