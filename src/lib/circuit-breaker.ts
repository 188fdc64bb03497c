/** Thresholds and pauses of a circuit breaker. */
export interface BreakerPolicy {
  /** Number of hangs, without any response in between, after which requests are refused. */
  hangs: number;
  /** Minimum duration of a timeout that counts as a hang, in milliseconds. It does not apply to checks. */
  hangMs: number;
  /**
   * Length of the pause after the breaker opens, in which requests are refused, in milliseconds; it doubles with each
   * failed trial, up to `longestPauseMs`.
   */
  firstPauseMs: number;
  /** Maximum length of a pause, in milliseconds. */
  longestPauseMs: number;
}

/**
 * Policy for the APIs of swap and bridge providers: a hang opens the breaker unless another request was answered in the
 * meantime.
 */
export const providerPolicy: BreakerPolicy = {
  hangs: 1,
  hangMs: 1_400,
  firstPauseMs: 2_000,
  longestPauseMs: 30_000,
};

/**
 * Decision about a request. `pass`: send it. `doubtful`: send it, after the check if there is one, because an earlier
 * request hung. `trial`: the same, as the trial after a pause. `refused`: do not send it.
 */
export type BreakerVerdict = "pass" | "doubtful" | "trial" | "refused";

/**
 * State of a circuit breaker, for operators. `hangs` is the number of hangs counted since the last response; `until` is
 * the end of the pause in milliseconds since the epoch, and null unless the state is `open`.
 */
export interface BreakerReport {
  name: string;
  state: "closed" | "doubtful" | "open" | "half_open";
  hangs: number;
  until: number | null;
}

/**
 * Time after which a trial without an outcome is abandoned, in milliseconds: the platform may end a request silently.
 */
const TRIAL_MS = 12_000;

/**
 * Circuit breaker of one dependency, per isolate. After too many hangs or a failed check, without a response in
 * between, requests are refused for a pause; then one trial is let through. Any response, even an error, closes it.
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

  /** Returns the time of the breaker's clock, in milliseconds since the epoch. */
  now(): number {
    return this.#now();
  }

  /**
   * Decides about a request before it is sent. After a pause, one request gets a `trial`; a trial without an outcome is
   * abandoned after 12 seconds, and the next request gets one.
   */
  admit(): BreakerVerdict {
    const now = this.#now();
    if (this.#pauses === 0) return this.#hangs > 0 ? "doubtful" : "pass";
    if (now < Math.max(this.#openUntil, this.#trialUntil)) return "refused";
    this.#trialUntil = now + TRIAL_MS;
    return "trial";
  }

  /** Returns true while the outcome of a trial is awaited. */
  isTrying(): boolean {
    const now = this.#now();
    return this.#pauses > 0 && now >= this.#openUntil && now < this.#trialUntil;
  }

  /** Records a response of any kind, including an error: all requests pass again. */
  noteAnswer(): void {
    this.#answeredAt = this.#now();
    this.#hangs = 0;
    this.#pauses = 0;
    this.#openUntil = 0;
    this.#trialUntil = 0;
  }

  /**
   * Records a request without a response that was sent at `startedAt`. It does not count if another request was
   * answered since, or if the breaker has opened since. `sure`: it was a check, which opens the breaker at once.
   */
  noteHang(hang: { startedAt: number; sure?: boolean }): void {
    const { startedAt, sure = false } = hang;
    if (this.#answeredAt > startedAt || this.#openedAt >= startedAt) return;
    this.#hangs += 1;
    if (sure || this.#pauses > 0 || this.#hangs >= this.#policy.hangs) this.#open();
  }

  /**
   * Records a request, sent at `startedAt`, whose connection failed or which timed out too early to count as a hang. It
   * fails a trial; while the breaker is closed, it has no effect.
   */
  noteBroken(startedAt: number): void {
    if (this.#pauses > 0 && this.#openedAt < startedAt) this.#open();
  }

  /**
   * Returns true if a request that was sent at `startedAt` and times out now counts as a hang: it lasted at least
   * `hangMs`.
   */
  isHang(startedAt: number): boolean {
    return this.#now() - startedAt >= this.#policy.hangMs;
  }

  /** Returns the breaker's state for operators. */
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

  /**
   * Returns the breaker of a dependency, creating it with this policy on first use; later policies of the same name are
   * ignored.
   */
  of(name: string, policy: BreakerPolicy): Breaker {
    const breaker = this.#byName.get(name) ?? new Breaker(name, { ...policy, now: this.#now });
    this.#byName.set(name, breaker);
    return breaker;
  }

  /** Returns the state of every used dependency, in the order of their first use. */
  report(): BreakerReport[] {
    return [...this.#byName.values()].map((breaker) => breaker.report());
  }
}
