/** A deterministic random generator: the same seed gives the same numbers. */
export interface Random {
  /** Returns an integer from 0 to `below - 1`. */
  below(below: number): number;
  /** Returns true with probability 1 / `every`. */
  once(every: number): boolean;
  pick<T>(list: readonly T[]): T;
}

/** Creates a generator from a seed. Source: mulberry32, a generator with 32 bits of state. */
export function randomOf(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    once: (every) => below(every) === 0,
    pick: (list) => {
      const item = list[below(list.length)];
      if (item === undefined) throw new RangeError("nothing to pick from");
      return item;
    },
  };
}
