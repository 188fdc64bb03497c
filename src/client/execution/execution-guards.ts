import { CausewayError } from "../causeway-client-error.ts";
import { endedSoonAfterAbort } from "./execution-waits.ts";

/**
 * Throws CausewayError `insufficient_balance` if a built order's simulation found too small a balance in the account.
 * An unknown balance passes. Call it before anything is signed: otherwise the user pays for an approval in vain.
 */
export function requireBalance(
  built: { simulation?: { balanceSufficient?: boolean | null } | null },
  account: string,
): void {
  if (built.simulation?.balanceSufficient === false)
    throw new CausewayError("insufficient_balance", `${account} does not hold what the order pays`);
}

/**
 * Returns the answer to a read of an order, from which the next step is taken, if it is that order. Otherwise throws
 * CausewayError `network`.
 */
export function requireOrder<Reading>(answer: Reading, trackingId: string): Reading {
  const order = answer as { trackingId?: unknown; steps?: unknown } | null;
  if (order?.trackingId === trackingId && Array.isArray(order.steps)) return answer;
  throw new CausewayError("network", "the API did not answer with this order");
}

/** The part of the Web Locks API that is used here. */
interface Locks {
  request<T>(name: string, options: { ifAvailable: true }, work: (lock: unknown) => Promise<T>): Promise<T>;
}

/**
 * Runs `work`, which executes an order. Throws CausewayError `in_progress` if the order is already being executed on a
 * page of the same origin (not checked where the platform lacks or refuses Web Locks), and `aborted` like
 * `endedSoonAfterAbort`. Errors of `work` propagate. Source: W3C, Web Locks API.
 */
export function executeAlone<T>(
  { trackingId, signal }: { trackingId: string; signal?: AbortSignal | undefined },
  work: () => Promise<T>,
): Promise<T> {
  return endedSoonAfterAbort(lockOrder(trackingId, work), signal);
}

async function lockOrder<T>(trackingId: string, work: () => Promise<T>): Promise<T> {
  const { locks } = (globalThis as { navigator?: { locks?: Locks } }).navigator ?? {};
  if (locks === undefined) return work();
  let answered = false;
  try {
    return await locks.request(`causeway:${trackingId}`, { ifAvailable: true }, async (lock) => {
      answered = true;
      if (lock !== null) return work();
      throw new CausewayError("in_progress", "the order is being executed, perhaps in another tab");
    });
  } catch (error) {
    // Where the platform refuses locks, as in frames without an origin, the order is executed all the same.
    if (answered) throw error;
    return work();
  }
}
