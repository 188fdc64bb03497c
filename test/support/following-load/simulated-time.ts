/** Work that is due at a time; the handle of a simulated timeout. */
interface Timer {
  at: number;
  order: number;
  work: (() => void) | null;
}

/** Number of turns of the event loop without any new work after which the process counts as idle. */
const CALM_TURNS = 3;

const real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };

/**
 * A clock that only moves when all work of the process waits for it: it then jumps to the next time at which something
 * is due. Real work (a database) is passed through `real`, during which the clock stands still. Timeouts of the process
 * are simulated from `install` to `uninstall`.
 */
export class SimulatedTime {
  #now: number;
  readonly #setTime: (now: number) => unknown;
  readonly #heap: Timer[] = [];
  #order = 0;
  #real = 0;
  /** Changes whenever work begins or ends. */
  #moves = 0;
  #wake: (() => void) | null = null;

  /** Starts at `now` in UNIX milliseconds; `setTime` sets the process's clock. */
  constructor(now: number, setTime: (now: number) => unknown) {
    this.#now = now;
    this.#setTime = setTime;
    setTime(now);
  }

  get now(): number {
    return this.#now;
  }

  /** Calls `work` at a time in UNIX milliseconds, or as soon as possible. */
  at(at: number, work: () => void): Timer {
    const timer: Timer = { at: Math.max(at, this.#now), order: this.#order, work };
    this.#order += 1;
    this.#moves += 1;
    this.#push(timer);
    return timer;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.at(this.#now + ms, resolve));
  }

  /** Calls `work` at an interval in milliseconds, for the first time at `first`, until it returns false. */
  every(of: { ms: number; first: number }, work: () => boolean): void {
    this.at(of.first, () => {
      if (work()) this.every({ ms: of.ms, first: of.first + of.ms }, work);
    });
  }

  /** Does real work, which takes no simulated time. */
  async real<T>(work: () => T | Promise<T>): Promise<T> {
    this.#real += 1;
    try {
      return await work();
    } finally {
      this.#real -= 1;
      this.#moves += 1;
      this.#wake?.();
    }
  }

  /** Runs everything that is due up to a time, and what follows from it. */
  async runUntil(end: number): Promise<void> {
    for (;;) {
      await this.#idle();
      const next = this.#heap[0];
      if (next === undefined || next.at > end) break;
      this.#pop();
      if (next.work === null) continue;
      this.#set(next.at);
      next.work();
    }
    this.#set(end);
  }

  install(): void {
    globalThis.setTimeout = ((work: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) =>
      this.at(this.#now + ms, () => work(...given))) as unknown as typeof setTimeout;
    globalThis.clearTimeout = ((timer: unknown) => {
      if (typeof timer === "object" && timer !== null && "order" in timer) (timer as Timer).work = null;
      else real.clearTimeout(timer as NodeJS.Timeout);
    }) as typeof clearTimeout;
  }

  uninstall(): void {
    Object.assign(globalThis, real);
  }

  #set(now: number): void {
    if (now === this.#now) return;
    this.#now = now;
    this.#setTime(now);
  }

  /** Resolves when nothing but the clock can go on. */
  async #idle(): Promise<void> {
    for (let calm = 0; calm < CALM_TURNS; ) {
      if (this.#real > 0)
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      this.#wake = null;
      const before = this.#moves;
      await new Promise((resolve) => setImmediate(resolve));
      calm = this.#moves === before && this.#real === 0 ? calm + 1 : 0;
    }
  }

  #push(timer: Timer): void {
    const heap = this.#heap;
    heap.push(timer);
    for (let at = heap.length - 1; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.#swapIf(parent, at)) return;
      at = parent;
    }
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    heap[0] = last;
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const least = right < heap.length && this.#isBefore(right, left) ? right : left;
      if (least >= heap.length || !this.#swapIf(at, least)) return;
      at = least;
    }
  }

  #isBefore(one: number, two: number): boolean {
    const [a, b] = [this.#heap[one], this.#heap[two]];
    if (a === undefined || b === undefined) return false;
    return a.at < b.at || (a.at === b.at && a.order < b.order);
  }

  /** Swaps two timers if the second is due before the first. */
  #swapIf(first: number, second: number): boolean {
    const [a, b] = [this.#heap[first], this.#heap[second]];
    if (a === undefined || b === undefined || !this.#isBefore(second, first)) return false;
    this.#heap[first] = b;
    this.#heap[second] = a;
    return true;
  }
}
