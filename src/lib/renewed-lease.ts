/** A lease that the holder renews while it works, so that it can be short: a killed holder blocks nobody for long. */
export interface RenewedLease {
  /** Interval of the renewals, in milliseconds: a fraction of the lease's length. */
  everyMs: number;
  /**
   * Renews the lease. Returns false if somebody else has taken it. An error says nothing about the lease, which is then
   * renewed at the next interval.
   */
  renew(): Promise<boolean>;
}

/** What the holder of a lease can ask while it works. */
export interface HeldLease {
  /** Returns true until a renewal finds that somebody else has taken the lease. */
  isHeld(): boolean;
}

/**
 * Runs work and renews its lease until the work ends, and returns its result. Errors of the work propagate; errors of
 * renewals do not.
 */
export async function workUnderLease<T>(
  { everyMs, renew }: RenewedLease,
  work: (lease: HeldLease) => Promise<T>,
): Promise<T> {
  let held = true;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let renewal: Promise<void> | null = null;
  let ended = false;
  const schedule = (): void => {
    timer = setTimeout(() => {
      renewal = tick();
    }, everyMs);
  };
  const tick = async (): Promise<void> => {
    held = await renew().catch(() => true);
    renewal = null;
    if (held && !ended) schedule();
  };
  schedule();
  try {
    return await work({ isHeld: () => held });
  } finally {
    ended = true;
    clearTimeout(timer);
    await renewal;
  }
}
