import { OutsideError } from "./bounded-fetch.ts";
import type { Breaker } from "./breaker.ts";

/**
 * What the outcome of a request shows about the dependency: `answer`: it works; `timeout`: it may hang; `broken`: it
 * could not be reached, which is not a hang.
 */
export type Outcome = "answer" | "timeout" | "broken";

/** A request that goes through a circuit breaker. */
export interface GuardedWork<T> {
  work: () => Promise<T>;
  /**
   * A trivial request with a short timeout, sent first if a hang is suspected; without it, the work itself is the
   * trial.
   */
  check?: () => Promise<unknown>;
  /** Returns what an error of `work` shows about the dependency. */
  outcomeOf: (error: unknown) => Outcome;
}

/**
 * Returns what an error of a request shows about the dependency: a timeout may be a hang, a failed connection shows
 * nothing, and any other error is a response.
 */
export function outcomeOfOutsideError(error: unknown): Outcome {
  if (!(error instanceof OutsideError)) return "answer";
  if (error.kind === "timeout") return "timeout";
  return error.kind === "network" ? "broken" : "answer";
}

/**
 * Sends a request through a circuit breaker, or directly if there is none. Throws OutsideError `timeout` immediately
 * while the dependency hangs; errors of `work` propagate.
 */
export async function throughBreaker<T>(breaker: Breaker | undefined, guarded: GuardedWork<T>): Promise<T> {
  if (breaker === undefined) return guarded.work();
  const admission = breaker.admit();
  if (admission === "refused") throw refused();
  if (admission !== "pass" && guarded.check !== undefined) await passCheck(breaker, guarded.check);
  const startedAt = breaker.now();
  try {
    const result = await guarded.work();
    breaker.noteAnswer();
    return result;
  } catch (error) {
    const outcome = guarded.outcomeOf(error);
    if (outcome === "answer") breaker.noteAnswer();
    else if (outcome === "timeout" && breaker.isHang(startedAt)) breaker.noteHang({ startedAt });
    else breaker.noteBroken(startedAt);
    throw error;
  }
}

async function passCheck(breaker: Breaker, check: () => Promise<unknown>): Promise<void> {
  const startedAt = breaker.now();
  try {
    await check();
  } catch (error) {
    if (outcomeOfOutsideError(error) === "answer") return;
    breaker.noteHang({ startedAt, sure: true });
    throw refused();
  }
}

const refused = (): OutsideError => new OutsideError("timeout", "it hangs, and is not asked now");
