/** Processes items concurrently, with a limit, and returns the results in the items' order. */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  plan: { atOnce: number; work: (item: T, index: number) => Promise<R> },
): Promise<R[]> {
  const results: R[] = [];
  const waiting = items.entries();
  const worker = async () => {
    for (const [index, item] of waiting) results[index] = await plan.work(item, index);
  };
  await Promise.all(Array.from({ length: plan.atOnce }, worker));
  return results;
}
