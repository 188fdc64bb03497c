import type { VaultState } from "./vault-adapter.ts";

/** Returns `{ pauseUnknown: true }`, or `{}` if `isUnknown` is false, to be spread into a vault's state. */
export const unknownPause = (isUnknown: boolean): Pick<VaultState, "pauseUnknown"> =>
  isUnknown ? { pauseUnknown: true } : {};
