/**
 * A lease that its holder renews while it works. The lease can be short, so that a holder that was killed blocks others
 * only briefly.
 */
export interface RenewedLease {
  /** Time from one renewal to the next, in milliseconds; it must be a fraction of the lease's length. */
  everyMs: number;
  /**
   * Renews the lease. Returns false if it is no longer held, which ends the renewals. After an error, the state of the
   * lease is unknown, and the next interval renews it again.
   */
  renew(): Promise<boolean>;
}

/** State of a lease, for the work that holds it. */
export interface HeldLease {
  /**
   * Returns true until a renewal finds that the lease is no longer held. The work is not stopped: it must check the
   * lease before each write.
   */
  isHeld(): boolean;
}

/**
 * Runs work and renews its lease until the work ends or the lease is no longer held. The caller acquires and releases
 * the lease. Errors of the work propagate; those of renewals are ignored.
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
