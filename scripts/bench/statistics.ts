/** The value below which a share of the values lies; NaN for none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Times one call, in milliseconds. */
export async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const startedAt = performance.now();
  const value = await work();
  return { ms: performance.now() - startedAt, value };
}

/**
 * Runs each of several ways once per round, one after the other, so that whatever slows the machine down slows them
 * all; gives the times of each. The first round only warms up.
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
