/** A block by its header. */
export interface Block {
  number: number;
  /** Lower case. */
  hash: string;
  /** Unix seconds. */
  timestamp: number;
}

/** A block that is identified by its hash, whatever chain of blocks a node is on. */
export type BlockId = Pick<Block, "number" | "hash">;

/** The number and time of a block at which something was read. */
export type BlockTime = Pick<Block, "number" | "timestamp">;

/** Blocks from `from` to `to`, both included. */
export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

/** A set of blocks: spans in ascending order, between any two of them at least one block. */
export type BlockSet = readonly BlockRange[];

/** The set of all blocks that any of the spans holds; spans that hold none are left out. */
export function uniteRanges(spans: readonly BlockRange[]): BlockSet {
  const united: BlockRange[] = [];
  for (const span of spans.filter(({ from, to }) => from <= to).sort((a, b) => a.from - b.from)) {
    const last = united.at(-1);
    if (last === undefined || span.from > last.to + 1) united.push(span);
    else united[united.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
  }
  return united;
}

/** What of a span a set does not hold. */
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

/** What of a set lies within a span. */
export function intersectRange(set: BlockSet, span: BlockRange): BlockSet {
  return set
    .map(({ from, to }) => ({ from: Math.max(from, span.from), to: Math.min(to, span.to) }))
    .filter(({ from, to }) => from <= to);
}

/** How many blocks a set holds. */
export function countBlocks(set: BlockSet): number {
  return set.reduce((count, { from, to }) => count + to - from + 1, 0);
}
