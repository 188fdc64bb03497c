import type { Step } from "../../client/operations/read-operations.ts";
import { isTemporary } from "../api/console-client.ts";
import { isOpen } from "./order-words.ts";

/** Time after which an order is requested again if the API recommends none, in milliseconds. */
const RELOAD_MS = 3_000;

/**
 * Returns the time after which the page of an order requests it again, in milliseconds; false for one without an open
 * step, and after an error that will not pass, such as that of a mistyped link.
 */
export function orderReloadMs(of: {
  data: { steps: readonly Pick<Step, "state">[]; pollAfterMs: number | null } | undefined;
  error: unknown;
}): number | false {
  const { data, error } = of;
  if (data === undefined) return error === null || isTemporary(error) ? RELOAD_MS : false;
  return isOpen(data) ? (data.pollAfterMs ?? RELOAD_MS) : false;
}
