import { CausewayError } from "./causeway-client-error.ts";

/** Waits for `ms` milliseconds. Throws CausewayError `aborted` when the signal aborts. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return untilAborted(over, signal).finally(() => clearTimeout(timer));
}

/**
 * Returns the result of `work`. Throws CausewayError `aborted` as soon as the signal aborts; the work goes on, and its
 * result is ignored.
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const stop = () => reject(new CausewayError("aborted", "the caller stopped waiting"));
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
