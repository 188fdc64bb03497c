import { type BlockSet, type BlockSpan, countBlocks } from "../lib/blocks.ts";

/** Runs that work on one chain's history at once: public nodes bear no more. */
const LANES = 4;
/** Less than this many questions' worth of blocks is not worth a run of its own. */
const QUESTIONS_A_LANE = 8;

/** Divides missing blocks among runs: consecutive parts, which together hold all of them. */
export function planHistory(missing: BlockSet, span: number): BlockSpan[] {
  const [first, last] = [missing[0], missing.at(-1)];
  if (first === undefined || last === undefined) return [];
  const count = countBlocks(missing);
  const lanes = Math.max(1, Math.min(LANES, Math.floor(count / (span * QUESTIONS_A_LANE))));
  const share = Math.ceil(count / lanes);
  const parts: BlockSpan[] = [];
  let [from, taken] = [first.from, 0];
  for (const gap of missing) {
    let at = gap.from;
    while (taken + gap.to - at + 1 >= share && parts.length < lanes - 1) {
      const to = at + share - taken - 1;
      parts.push({ from, to });
      [from, at, taken] = [to + 1, to + 1, 0];
    }
    taken += gap.to - at + 1;
  }
  return from > last.to ? parts : [...parts, { from, to: last.to }];
}
