import { OutsideError } from "./bounded-fetch.ts";
import type { Breaker, BreakerVerdict } from "./circuit-breaker.ts";
import { sleep } from "./timers.ts";

/**
 * What the outcome of a request shows about the dependency. `answer`: it responds. `timeout`: it may hang. `broken`: it
 * could not be reached, which is not a hang.
 */
export type Outcome = "answer" | "timeout" | "broken";

/** A request (`work`) that goes through a circuit breaker. */
export interface GuardedWork<T> {
  work: () => Promise<T>;
  /** A trivial request that is sent before `work` after a hang or a pause; without it, the work itself is the trial. */
  check?: () => Promise<unknown>;
  /** Returns what an error of `work` shows about the dependency. */
  outcomeOf: (error: unknown) => Outcome;
}

/**
 * Returns what an error of a request shows about the dependency: `timeout` for OutsideError `timeout`, `broken` for
 * OutsideError `network`, and `answer` for any other error, which is taken for a response.
 */
export function outcomeOfOutsideError(error: unknown): Outcome {
  if (!(error instanceof OutsideError)) return "answer";
  if (error.kind === "timeout") return "timeout";
  return error.kind === "network" ? "broken" : "answer";
}

/**
 * Time between two looks at a trial, in milliseconds, and their maximum number: a healthy dependency answers sooner.
 */
const TRIAL_POLL_MS = 20;
const TRIAL_POLLS = 15;

/**
 * Asks a breaker about a request; during a trial, waits up to about 300 ms for its outcome. It polls the breaker,
 * because a request must not depend on another one's promise, which the platform may cancel.
 */
async function admitted(breaker: Breaker): Promise<BreakerVerdict> {
  let verdict = breaker.admit();
  for (let poll = 0; verdict === "refused" && breaker.isTrying() && poll < TRIAL_POLLS; poll += 1) {
    await sleep(TRIAL_POLL_MS);
    verdict = breaker.admit();
  }
  return verdict;
}

/**
 * Sends a request through a circuit breaker, or directly if there is none. Throws OutsideError `timeout` without
 * sending `work` if the breaker refuses it or `check` gets no response; errors of `work` propagate.
 */
export async function throughBreaker<T>(breaker: Breaker | undefined, guarded: GuardedWork<T>): Promise<T> {
  if (breaker === undefined) return guarded.work();
  const admission = await admitted(breaker);
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
