/** Outside systems whose time is measured per request. */
export type OutsideSystem = "rpc" | "provider" | "db" | "redis";

interface SystemTime {
  inFlight: number;
  since: number;
  totalMs: number;
  requests: number;
}

/** Measures, for each outside system, how long one request had a call in flight. */
export class Timing {
  readonly #spans = new Map<OutsideSystem, SystemTime>();
  readonly #clock: () => number;
  readonly #startedAt: number;

  /** `clock` returns milliseconds; in a Worker it stands still while no I/O happens. */
  constructor(clock: () => number) {
    this.#clock = clock;
    this.#startedAt = clock();
  }

  /** Counts one outside request and the time until it settles. */
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

  /** Returns the number of requests sent to a system so far. */
  requests(system: OutsideSystem): number {
    return this.#spans.get(system)?.requests ?? 0;
  }

  /** Returns the milliseconds since the request started. */
  elapsedMs(): number {
    return this.#clock() - this.#startedAt;
  }

  /** Returns true while a call to the system is in flight. */
  isWaitingFor(system: OutsideSystem): boolean {
    return (this.#spans.get(system)?.inFlight ?? 0) > 0;
  }

  /** Returns the `Server-Timing` header: `total;dur=12, rpc;dur=8;desc="1"`. Calls in flight count up to now. */
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
