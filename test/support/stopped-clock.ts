/** A clock that stands still until the test moves it. Times are in unix milliseconds. */
export interface StoppedClock {
  now(): number;
  skip(ms: number): void;
}

/** Creates a clock for deadlines that pass by command (`holdTimeouts`), however long the test takes. */
export function stoppedClock(): StoppedClock {
  let now = 1_700_000_000_000;
  return {
    now: () => now,
    skip: (ms) => {
      now += ms;
    },
  };
}
