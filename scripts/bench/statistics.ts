/** Returns the value below which the fraction `share` (0 to 1) of the values lies. NaN for an empty list. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Returns the median, of an even number of values the upper middle one; NaN for an empty list. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Runs one call and returns its result and its time in milliseconds. */
export async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const startedAt = performance.now();
  const value = await work();
  return { ms: performance.now() - startedAt, value };
}

/**
 * Times several alternatives in milliseconds, one call of each per round, so that a slow phase of the machine affects
 * all of them. A warm-up round before the `rounds` is not counted.
 */
export async function interleave<K extends string>(
  rounds: number,
  ways: Readonly<Record<K, () => Promise<unknown>>>,
): Promise<Record<K, number[]>> {
  const entries = Object.entries(ways) as [K, () => Promise<unknown>][];
  const times = Object.fromEntries(entries.map(([name]) => [name, [] as number[]])) as Record<K, number[]>;
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, work] of entries) {
      const { ms } = await timed(work);
      if (round > 0) times[name].push(ms);
    }
  }
  return times;
}
