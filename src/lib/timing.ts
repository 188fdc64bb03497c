/** The outside systems whose time a request accounts for. */
export type OutsideSystem = "rpc" | "provider" | "db" | "redis";

interface SystemTime {
  inFlight: number;
  since: number;
  totalMs: number;
  requests: number;
}

/** Where one request's time went: for each outside system the wall time with a call in flight. */
export class Timing {
  readonly #spans = new Map<OutsideSystem, SystemTime>();
  readonly #clock: () => number;
  readonly #startedAt: number;

  /** `clock` answers milliseconds and may stand still while no I/O happens. */
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

  /** How many requests went to a system so far. */
  requests(system: OutsideSystem): number {
    return this.#spans.get(system)?.requests ?? 0;
  }

  /** Milliseconds since the start. */
  elapsedMs(): number {
    return this.#clock() - this.#startedAt;
  }

  /** Whether a system has not answered yet. */
  isWaitingFor(system: OutsideSystem): boolean {
    return (this.#spans.get(system)?.inFlight ?? 0) > 0;
  }

  /** The `Server-Timing` header's value: `total;dur=12, rpc;dur=8;desc="1"`. Calls still in flight count so far. */
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
