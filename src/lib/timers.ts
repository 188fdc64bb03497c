/** Resolves after so many milliseconds. */
export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves as the work does, or throws `late()` when it takes longer than `ms` milliseconds; the work is not stopped. */
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
