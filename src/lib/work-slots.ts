/**
 * Age after which a slot that was not freed counts as free, in milliseconds: the platform may end a request without
 * running its cleanup. Work that goes on after the response does not hold a slot for longer either.
 */
const ABANDONED_MS = 30_000;

/**
 * Semaphore that limits concurrent work in an isolate: at most `limit` slots are taken at a time. A slot that is not
 * freed within 30 seconds becomes free by itself.
 */
export class WorkSlots {
  readonly limit: number;
  readonly #now: () => number;
  /** Taken slots with the time at which each was taken, in milliseconds since the epoch, the oldest first. */
  readonly #taken = new Map<symbol, number>();

  /** `limit`: maximum number of taken slots. `now` returns milliseconds since the epoch. */
  constructor(limit: number, now: () => number) {
    this.limit = limit;
    this.#now = now;
  }

  /**
   * Takes a slot and returns the function that frees it, or null if none is free. A slot that is not freed within 30
   * seconds becomes free.
   */
  take(): (() => void) | null {
    const now = this.#now();
    for (const [slot, takenAt] of this.#taken) {
      if (now - takenAt < ABANDONED_MS) break;
      this.#taken.delete(slot);
    }
    if (this.#taken.size >= this.limit) return null;
    const slot = Symbol();
    this.#taken.set(slot, now);
    return () => void this.#taken.delete(slot);
  }
}
