/** An outside system for which the time spent waiting is measured per request. */
export type OutsideSystem = "rpc" | "provider" | "db" | "redis";

interface SystemTime {
  inFlight: number;
  since: number;
  totalMs: number;
  requests: number;
}

/**
 * Measures, per outside system, how long one API request or job run had calls in flight; time in which several calls
 * overlap counts once.
 */
export class Timing {
  readonly #spans = new Map<OutsideSystem, SystemTime>();
  readonly #clock: () => number;
  readonly #startedAt: number;

  /** Starts the measurement. `clock` returns milliseconds; in a Worker it does not advance without I/O. */
  constructor(clock: () => number) {
    this.#clock = clock;
    this.#startedAt = clock();
  }

  /** Runs a call to an outside system and measures the time until it settles. Returns its result; errors propagate. */
  async track<T>(system: OutsideSystem, call: () => Promise<T>): Promise<T> {
    const span = this.#spans.get(system) ?? { inFlight: 0, since: 0, totalMs: 0, requests: 0 };
    this.#spans.set(system, span);
    if (span.inFlight === 0) span.since = this.#clock();
    span.inFlight += 1;
    span.requests += 1;
    try {
      return await call();
    } finally {
      span.inFlight -= 1;
      if (span.inFlight === 0) span.totalMs += this.#clock() - span.since;
    }
  }

  /** Returns the number of calls started so far, to one outside system or to all of them. */
  requests(system?: OutsideSystem): number {
    if (system !== undefined) return this.#spans.get(system)?.requests ?? 0;
    return [...this.#spans.values()].reduce((sum, { requests }) => sum + requests, 0);
  }

  /** Returns the time since the measurement started, in milliseconds. */
  elapsedMs(): number {
    return this.#clock() - this.#startedAt;
  }

  /** Returns true while a call to the outside system is in flight. */
  isWaitingFor(system: OutsideSystem): boolean {
    return (this.#spans.get(system)?.inFlight ?? 0) > 0;
  }

  /**
   * Returns the value of the `Server-Timing` header, such as `total;dur=12, rpc;dur=8;desc="1"`: durations in
   * milliseconds, and the number of calls as the description. Calls in flight count up to now.
   */
  header(): string {
    const now = this.#clock();
    const entries = [`total;dur=${Math.round(now - this.#startedAt)}`];
    for (const [system, span] of this.#spans) {
      const spent = span.totalMs + (span.inFlight > 0 ? now - span.since : 0);
      entries.push(`${system};dur=${Math.round(spent)};desc="${span.requests}"`);
    }
    return entries.join(", ");
  }
}
