import { CausewayError } from "../causeway-client-error.ts";

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

/** Time for work to end by itself after an abort, in milliseconds. Usually only a wallet needs longer. */
const UNWIND_MS = 1_000;

/**
 * Returns the result of `work`, which observes the signal itself. If the signal aborts and the work does not end within
 * a second, throws CausewayError `aborted`; the work goes on, and its result is ignored.
 */
export function endedSoonAfterAbort<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  const late = new AbortController();
  let timer: ReturnType<typeof setTimeout>;
  const start = () => {
    timer = setTimeout(() => late.abort(), UNWIND_MS);
  };
  if (signal.aborted) start();
  signal.addEventListener("abort", start, { once: true });
  return untilAborted(work, late.signal).finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", start);
  });
}

/** Time for a wallet to answer a request that needs no confirmation by its user, in milliseconds. */
const ANSWER_MS = 30_000;

/**
 * Returns the wallet's response to a request that needs no confirmation by the user. Throws CausewayError
 * `wallet_failed` if there is none after 30 seconds: some wallets never answer a method that they do not know.
 */
export async function answerOf<T>(response: Promise<T>): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ANSWER_MS);
  try {
    return await untilAborted(response, late.signal);
  } catch (error) {
    if (!late.signal.aborted) throw error;
    throw new CausewayError("wallet_failed", "the wallet does not answer");
  } finally {
    clearTimeout(timer);
  }
}
