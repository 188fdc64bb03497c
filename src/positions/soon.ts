import { failure } from "../errors.ts";
import { withDeadline } from "../lib/deadline.ts";

/** What the database adds to positions is not worth a longer wait: they come from the chains. */
const PATIENCE_MS = 2_000;

/** Gives what the database answers within two seconds. Throws `store_unavailable` when it takes longer. */
export function soon<T>(work: Promise<T>): Promise<T> {
  const late = () => failure("store_unavailable", "the database took too long");
  return withDeadline(work, { ms: PATIENCE_MS, late });
}
