/** A clock that runs faster than real time, and that a test can stop and move. Times are in unix milliseconds. */
export interface FastClock {
  now(): number;
  /** Stops the clock, so that no deadline passes while the test counts. */
  stop(): void;
  skip(ms: number): void;
}

/** Starts a clock that runs `factor` times faster than real time, as the deadlines of `speedUpTimeouts` do. */
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
