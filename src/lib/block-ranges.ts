/** Number, hash and timestamp of a block. */
export interface Block {
  number: number;
  /** Block hash, lowercase. */
  hash: string;
  /** Block timestamp, in seconds since the epoch. */
  timestamp: number;
}

/** A block's number and hash (lowercase), which are enough to detect a reorg. */
export type BlockId = Pick<Block, "number" | "hash">;

/** Number and timestamp (in seconds since the epoch) of the block at which something was read. */
export type BlockTime = Pick<Block, "number" | "timestamp">;

/** A range of blocks that includes both ends; empty if `from` is above `to`. */
export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

/** A set of blocks, as ranges in ascending order that neither overlap nor touch. */
export type BlockSet = readonly BlockRange[];

/** Returns the union of block ranges, which may be in any order and may overlap; empty ranges are ignored. */
export function uniteRanges(spans: readonly BlockRange[]): BlockSet {
  const united: BlockRange[] = [];
  for (const span of spans.filter(({ from, to }) => from <= to).sort((a, b) => a.from - b.from)) {
    const last = united.at(-1);
    if (last === undefined || span.from > last.to + 1) united.push(span);
    else united[united.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
  }
  return united;
}

/**
 * Returns the blocks of a range that are not in a set, in ascending order; empty if the set contains the whole range.
 */
export function subtractRanges(span: BlockRange, set: BlockSet): BlockSet {
  const missing: BlockRange[] = [];
  let from = span.from;
  for (const held of set) {
    if (held.to < from) continue;
    if (held.from > span.to) break;
    if (held.from > from) missing.push({ from, to: held.from - 1 });
    from = held.to + 1;
  }
  if (from <= span.to) missing.push({ from, to: span.to });
  return missing;
}

/** Returns the blocks of a set that are within a range, in ascending order. */
export function intersectRange(set: BlockSet, span: BlockRange): BlockSet {
  return set
    .map(({ from, to }) => ({ from: Math.max(from, span.from), to: Math.min(to, span.to) }))
    .filter(({ from, to }) => from <= to);
}

/** Returns the number of blocks in a set. */
export function countBlocks(set: BlockSet): number {
  return set.reduce((count, { from, to }) => count + to - from + 1, 0);
}
