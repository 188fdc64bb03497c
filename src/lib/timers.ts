/** Resolves after the given number of milliseconds. */
export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Settles like `work`, but throws `late()` if `work` takes longer than `ms` milliseconds. The work itself is not
 * stopped; its later errors are ignored.
 */
export async function withDeadline<T>(
  work: Promise<T>,
  limit: { ms: number; late: () => Error },
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expired = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(limit.late()), Math.max(0, limit.ms));
  });
  work.catch(() => undefined);
  try {
    return await Promise.race([work, expired]);
  } finally {
    clearTimeout(timer);
  }
}
