import { putLast } from "../lib/put-last.ts";
import { type LimitWindow, WINDOW_MS } from "./limiter.ts";

/** Windows an isolate keeps; the one that began first goes first. */
const CAPACITY = 20_000;

/** The isolate's own windows, for limits that the platform has no limiter for. */
export class LimiterMemory {
  readonly #windows = new Map<string, { count: number; endsAt: number }>();

  /** Adds one to the window; gives its count and the milliseconds until it ends. */
  count(window: LimitWindow, now: number): { count: number; resetMs: number } {
    const key = `${window.name}:${window.subject}`;
    const running = this.#windows.get(key);
    if (running !== undefined && running.endsAt > now) {
      running.count += 1;
      return { count: running.count, resetMs: running.endsAt - now };
    }
    putLast(this.#windows, { key, value: { count: 1, endsAt: now + WINDOW_MS }, capacity: CAPACITY });
    return { count: 1, resetMs: WINDOW_MS };
  }
}
