import type { Breaker, BreakerPolicy } from "../lib/circuit-breaker.ts";
import { type Outcome, throughBreaker } from "../lib/circuit-breaker-call.ts";
import type { Timing } from "../lib/outside-call-timing.ts";

/**
 * Policy of Redis's circuit breaker: one hang of at least 0.7 seconds opens it, unless another command was answered
 * meanwhile. Commands are then refused for one second, and for up to three after failed trials.
 */
export const redisPolicy: BreakerPolicy = {
  hangs: 1,
  hangMs: 700,
  firstPauseMs: 1_000,
  longestPauseMs: 3_000,
};

/**
 * Sends a command through the breaker, measures its time and returns its result. Throws OutsideError `timeout` if the
 * breaker refuses it; errors of the driver propagate, including its timeouts.
 */
export function sendCommand<T>(
  scope: { timing: Timing; breaker?: Breaker },
  call: () => Promise<T>,
): Promise<T> {
  return throughBreaker(scope.breaker, {
    work: () => scope.timing.track("redis", call),
    outcomeOf: outcomeOfRedisError,
  });
}

function outcomeOfRedisError(error: unknown): Outcome {
  const name = error instanceof Error ? error.name : "";
  if (name === "TimeoutError" || name === "AbortError") return "timeout";
  return /upstash/i.test(name) ? "answer" : "broken";
}
