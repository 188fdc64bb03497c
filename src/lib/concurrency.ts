/**
 * Maximum number of items processed at once: one less than the six connections that a Worker may have open, so that the
 * database and Redis can always be reached.
 */
const CONCURRENCY = 5;
/** Maximum number of doubtful items processed at once. */
const DOUBTFUL_CONCURRENCY = 2;

/**
 * Processes items, at most five at a time and among them at most two doubtful ones (expected to be slow), and returns
 * the results in the order of the items. Throws the first error, while the work on other items may go on.
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
