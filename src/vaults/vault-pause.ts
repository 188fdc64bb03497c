import type { VaultState } from "./vault-adapter.ts";

/** Returns the field of a vault's state for a pause that is or is not unknown. */
export const unknownPause = (isUnknown: boolean): Pick<VaultState, "pauseUnknown"> =>
  isUnknown ? { pauseUnknown: true } : {};
