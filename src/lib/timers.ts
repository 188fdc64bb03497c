/** Resolves after the given number of milliseconds. */
export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Returns the result of `work`, or throws `late()` if it takes longer than `ms` milliseconds. Errors of `work`
 * propagate. The work itself is not stopped; its later errors are ignored.
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
