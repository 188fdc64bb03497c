/** Gives what the work gives, or throws `late()` when it takes longer than `ms` milliseconds; the work goes on. */
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
