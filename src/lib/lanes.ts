/**
 * Does work on all items at once, except the doubtful ones: those so many at a time, beside the others. A Worker waits
 * for the headers of six answers at most, and what waits for one of these has its deadline run: items that are likely
 * to hang must not hold them all. Gives the results in the order of the items; throws the first failure.
 * Source: Cloudflare Workers, limits (simultaneous open connections).
 */
export async function workInLanes<T, R>(
  items: readonly T[],
  how: { doubtful: (item: T) => boolean; atOnce: number; work: (item: T) => Promise<R> },
): Promise<R[]> {
  const { doubtful, atOnce, work } = how;
  const results: R[] = [];
  const one = async (index: number): Promise<void> => {
    const item = items[index] as T;
    results[index] = await work(item);
  };
  const indexes = items.map((_, index) => index);
  const apart = indexes.filter((index) => doubtful(items[index] as T));
  const lane = async (): Promise<void> => {
    for (let index = apart.shift(); index !== undefined; index = apart.shift()) await one(index);
  };
  const others = indexes.filter((index) => !apart.includes(index));
  await Promise.all([...others.map(one), ...Array.from({ length: atOnce }, lane)]);
  return results;
}

/** Chains whose last run failed are worked on so many at a time. */
export const DOUBTFUL_AT_ONCE = 2;
