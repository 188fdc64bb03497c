/** How a circuit breaker decides. */
export interface BreakerPolicy {
  /** Hangs in a row, while nobody got an answer, after which requests are refused. */
  hangs: number;
  /** A timeout that came earlier proves nothing, because the caller's own deadline cut it short. In milliseconds. */
  hangMs: number;
  /** First and longest time for which requests are refused, in milliseconds; it doubles with each failed trial. */
  firstPauseMs: number;
  longestPauseMs: number;
}

/**
 * For the APIs of providers and prices, whose answers take as long as the request is hard: one hang may be the request's
 * fault, two in a row of which nobody was answered are not. Others are asked beside them, so pauses may be long.
 */
export const providerPolicy: BreakerPolicy = {
  hangs: 2,
  hangMs: 1_400,
  firstPauseMs: 2_000,
  longestPauseMs: 30_000,
};

/**
 * What a request meets: `pass`; `doubtful` after a hang that proves too little; `trial`, the only request that is sent
 * after a pause; `refused`.
 */
export type BreakerVerdict = "pass" | "doubtful" | "trial" | "refused";

/** State of a circuit breaker, for operators. `until` is in milliseconds since the epoch, null unless `open`. */
export interface BreakerReport {
  name: string;
  state: "closed" | "doubtful" | "open" | "half_open";
  hangs: number;
  until: number | null;
}

/** Time after which a trial without an outcome is given up, because the platform may end a request unnoticed. */
const TRIAL_MS = 12_000;

/**
 * Circuit breaker of one dependency, for one isolate: what hangs costs one request its timeout, and not each. Only hangs
 * count. An error that the dependency answers shows that it works, so no caller's invalid request can open the breaker,
 * and neither can one slow request while others are answered. Pure but for the injected clock.
 */
export class Breaker {
  readonly name: string;
  readonly #policy: BreakerPolicy;
  readonly #now: () => number;
  #hangs = 0;
  #pauses = 0;
  #answeredAt = Number.NEGATIVE_INFINITY;
  #openedAt = Number.NEGATIVE_INFINITY;
  #openUntil = 0;
  #trialUntil = 0;

  constructor(name: string, options: BreakerPolicy & { now: () => number }) {
    this.name = name;
    this.#policy = options;
    this.#now = options.now;
  }

  /** Returns the breaker's time, in milliseconds since the epoch. */
  now(): number {
    return this.#now();
  }

  /** Decides about a request that is about to be sent. A `trial` is given to one request at a time. */
  admit(): BreakerVerdict {
    const now = this.#now();
    if (this.#pauses === 0) return this.#hangs > 0 ? "doubtful" : "pass";
    if (now < Math.max(this.#openUntil, this.#trialUntil)) return "refused";
    this.#trialUntil = now + TRIAL_MS;
    return "trial";
  }

  /** Records an answer of any kind, an error included: all requests pass again. */
  noteAnswer(): void {
    this.#answeredAt = this.#now();
    this.#hangs = 0;
    this.#pauses = 0;
    this.#openUntil = 0;
    this.#trialUntil = 0;
  }

  /**
   * Records a request without an answer that was sent at `startedAt`. It does not count when somebody else was answered
   * since, or when the breaker has opened since. `sure`: it was a check that every healthy dependency passes.
   */
  noteHang(hang: { startedAt: number; sure?: boolean }): void {
    const { startedAt, sure = false } = hang;
    if (this.#answeredAt > startedAt || this.#openedAt >= startedAt) return;
    this.#hangs += 1;
    if (sure || this.#pauses > 0 || this.#hangs >= this.#policy.hangs) this.#open();
  }

  /** Records a connection that failed at once: it ends a trial without success, and counts for nothing otherwise. */
  noteBroken(startedAt: number): void {
    if (this.#pauses > 0 && this.#openedAt < startedAt) this.#open();
  }

  /** Returns true if a timeout after this time shows that the dependency hangs. */
  isHang(startedAt: number): boolean {
    return this.#now() - startedAt >= this.#policy.hangMs;
  }

  /** Returns the state for operators. */
  report(): BreakerReport {
    const { name } = this;
    const isOpen = this.#openUntil > this.#now();
    const open = isOpen ? "open" : "half_open";
    const closed = this.#hangs > 0 ? "doubtful" : "closed";
    const state = this.#pauses > 0 ? open : closed;
    return { name, state, hangs: this.#hangs, until: isOpen ? this.#openUntil : null };
  }

  #open(): void {
    const pause = this.#policy.firstPauseMs * 2 ** Math.min(this.#pauses, 10);
    this.#openedAt = this.#now();
    this.#openUntil = this.#openedAt + Math.min(pause, this.#policy.longestPauseMs);
    this.#pauses += 1;
    this.#trialUntil = 0;
  }
}

/** The breakers of one isolate, by the name of the dependency. */
export class Breakers {
  readonly #byName = new Map<string, Breaker>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Returns the breaker of a dependency, created with this policy when it is first asked for. */
  of(name: string, policy: BreakerPolicy): Breaker {
    const breaker = this.#byName.get(name) ?? new Breaker(name, { ...policy, now: this.#now });
    this.#byName.set(name, breaker);
    return breaker;
  }

  /** Returns the state of every dependency that was asked, in the order in which they were first asked. */
  report(): BreakerReport[] {
    return [...this.#byName.values()].map((breaker) => breaker.report());
  }
}
