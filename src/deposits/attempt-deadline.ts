/** By when a transaction must have been built, so that it can still be simulated; milliseconds from the start. */
const BUILT_MS = 6_500;
/** What one provider may take while another could still be asked. */
const SHARED_MS = 2_500;

/**
 * When a provider's transaction stops being of use, milliseconds since the epoch. The last provider that is left
 * has all the time there is: to give it up early would refuse a deposit that a slow but honest answer allows.
 */
export function attemptDeadline(at: { startedAt: number; now: number; last: boolean }): number {
  const end = at.startedAt + BUILT_MS;
  return at.last ? end : Math.min(end, at.now + SHARED_MS);
}
