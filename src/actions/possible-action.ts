import type { VaultAction } from "../schemas/position-schema.ts";

/** What all possible actions have in common. */
export const POSSIBLE = { allowed: true, code: null, reason: "", until: null } as const;

/** Creates an impossible action with an error code and a reason. What `of` leaves out is null. */
export function refused(
  of: Pick<VaultAction, "reason"> & Partial<VaultAction> & { code: string },
): VaultAction {
  return { allowed: false, max: null, mode: null, until: null, ...of };
}
