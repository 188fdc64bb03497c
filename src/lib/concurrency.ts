/** Items that are worked on at once: one less than the answers a Worker waits for, so that stores always answer. */
const CONCURRENCY = 5;
/** Of these, doubtful ones. */
const DOUBTFUL_CONCURRENCY = 2;

/**
 * Does work on items, five at a time, of which at most two are doubtful ones. A Worker waits for the headers of six
 * answers at most, and what waits for one of these has its deadline run: items that hang must not hold them all,
 * whether anybody expected it or not. Gives the results in the order of the items; throws the first failure.
 * Source: Cloudflare Workers, limits (simultaneous open connections).
 */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  how: { doubtful: (item: T) => boolean; work: (item: T) => Promise<R> },
): Promise<R[]> {
  const { doubtful, work } = how;
  const results: R[] = [];
  const indexes = items.map((_, index) => index);
  const apart = indexes.filter((index) => doubtful(items[index] as T));
  const others = indexes.filter((index) => !apart.includes(index));
  const lane = async (next: () => number | undefined): Promise<void> => {
    for (let index = next(); index !== undefined; index = next())
      results[index] = await work(items[index] as T);
  };
  await Promise.all([
    ...Array.from({ length: CONCURRENCY - DOUBTFUL_CONCURRENCY }, () => lane(() => others.shift())),
    ...Array.from({ length: DOUBTFUL_CONCURRENCY }, () => lane(() => apart.shift() ?? others.shift())),
  ]);
  return results;
}
