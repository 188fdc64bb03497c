import { vi } from "vitest";
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
  const { setTimeout: start } = globalThis;
  const extended = (ms = 0): number => (ms < SHORTEST_MS ? ms : ms * FACTOR);
  const waiting = vi
    .spyOn(globalThis, "setTimeout")
    .mockImplementation(((work: () => void, ms?: number) => start(work, extended(ms))) as typeof setTimeout);
  const { timeout } = AbortSignal;
  const signals = vi
    .spyOn(AbortSignal, "timeout")
    .mockImplementation((ms) => timeout.call(AbortSignal, extended(ms)));
  // A build gives up by the time since its request arrived.
  const elapsed = vi.spyOn(Timing.prototype, "elapsedMs").mockReturnValue(0);
  return () => {
    for (const spy of [waiting, signals, elapsed]) spy.mockRestore();
  };
}
