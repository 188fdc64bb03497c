/**
 * Items worked on at once: one less than a Worker's six open connections, so that the database and Redis always
 * answer.
 */
const CONCURRENCY = 5;
/** Doubtful items among them at most. */
const DOUBTFUL_CONCURRENCY = 2;

/**
 * Works on items, five at a time, at most two of them doubtful (expected to be slow). A Worker waits for the headers
 * of six answers at most, and time spent in that queue counts towards a request's deadline, so items that hang must
 * not occupy every place. Returns the results in the order of the items; throws the first failure. Source: Cloudflare
 * Workers, limits (simultaneous open connections).
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
