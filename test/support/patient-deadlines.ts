import { Timing } from "../../src/lib/outside-call-timing.ts";

/** Deadlines from this length on are extended, in milliseconds; shorter timers are pauses between attempts. */
const SHORTEST_MS = 500;
/** Factor by which deadlines are extended. */
const FACTOR = 100;

/**
 * Extends every deadline of this process a hundredfold: of the service's requests to its chains and stores, and of its
 * builds. What a long run of random schedules finds must not depend on how busy the machine is. Returns a function that
 * restores the deadlines.
 */
export function extendDeadlines(): () => void {
  const { timeout } = AbortSignal;
  return replaceDeadlines((ms) => timeout.call(AbortSignal, extended(ms)));
}

/**
 * Lets no request end for its time, where nothing takes time, and extends the other deadlines of this process like
 * `extendDeadlines`. The timers of thousands of requests per second would cost a seventh of the processor time. Returns
 * a function that restores the deadlines.
 */
export const suspendDeadlines = (): (() => void) => replaceDeadlines(() => new AbortController().signal);

const extended = (ms = 0): number => (ms < SHORTEST_MS ? ms : ms * FACTOR);

/** Replaces the deadlines without a mock, which would keep the millions of calls of a long run. */
function replaceDeadlines(signalOf: (ms: number) => AbortSignal): () => void {
  const { setTimeout: start } = globalThis;
  const { timeout } = AbortSignal;
  const { elapsedMs } = Timing.prototype;
  globalThis.setTimeout = ((work: () => void, ms?: number) => start(work, extended(ms))) as typeof setTimeout;
  AbortSignal.timeout = signalOf;
  // A build gives up by the time since its request arrived.
  Timing.prototype.elapsedMs = () => 0;
  return () => {
    globalThis.setTimeout = start;
    AbortSignal.timeout = timeout;
    Timing.prototype.elapsedMs = elapsedMs;
  };
}
