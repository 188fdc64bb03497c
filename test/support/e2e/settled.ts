import { setTimeout as sleep } from "node:timers/promises";

/** Timeout and polling interval in milliseconds. */
export interface PollingOptions {
  timeout: number;
  interval: number;
}

const PAUSE_MS = 50;

/**
 * Polls until two reads in short succession return the same value, because a local node that is mining may briefly
 * return the new state and then the old one again. Throws the last value on timeout. Times are in milliseconds.
 */
export async function settled<T>(
  read: () => Promise<T>,
  { wanted, timeout, interval }: PollingOptions & { wanted: (value: T) => boolean },
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
