import type { Hex } from "viem";
import { adapterOf } from "./adapters.ts";
import { type ExplainedRevert, explainRevert } from "./reverts.ts";
import type { Vault } from "./vault.ts";

/** Reads revert data that came from a deposit into a vault: by its family's errors first, then by the common ones. */
export function explainVaultRevert(vault: Vault, revert: Hex): ExplainedRevert {
  return adapterOf(vault).explain?.(revert) ?? explainRevert(revert);
}
