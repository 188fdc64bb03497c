import { setTimeout as sleep } from "node:timers/promises";

export interface Patience {
  timeout: number;
  interval: number;
}

const PAUSE_MS = 50;

/**
 * What a read gives once it is as wanted, and still is a moment later. A local node that is just mining shows the
 * new state, then for some milliseconds the old one again: who goes on after the first sight may read the past.
 * Times in milliseconds. Throws with the last value when the time is over.
 */
export async function settled<T>(
  read: () => Promise<T>,
  { wanted, timeout, interval }: Patience & { wanted: (value: T) => boolean },
): Promise<T> {
  const deadline = Date.now() + timeout;
  for (;;) {
    const seen = await read();
    if (wanted(seen)) {
      await sleep(PAUSE_MS);
      const still = await read();
      if (wanted(still)) return still;
    }
    if (Date.now() > deadline) throw new Error(`not as wanted after ${timeout} ms: ${show(seen)}`);
    await sleep(interval);
  }
}

const show = (value: unknown): string =>
  JSON.stringify(value, (_key, part) => (typeof part === "bigint" ? `${part}` : part)) ?? "undefined";
