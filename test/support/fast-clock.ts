/** A clock that runs faster than the wall's, and that a test can stop and move. Times are in milliseconds. */
export interface FastClock {
  now(): number;
  /** Stops the clock, so that nothing falls due while the test counts. */
  stop(): void;
  skip(ms: number): void;
}

/** Starts a clock that runs `factor` times faster, as deadlines do under `hurryDeadlines`. */
export function startFastClock(factor: number): FastClock {
  let skipped = 0;
  let stopped: number | null = null;
  const running = (): number => Date.now() * factor;
  return {
    now: () => (stopped ?? running()) + skipped,
    stop: () => {
      stopped = running();
    },
    skip: (ms) => {
      skipped += ms;
    },
  };
}
