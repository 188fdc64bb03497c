import { curationEvents } from "../governance/common-governance-events.ts";
import type { VaultFamily } from "../vault-adapter.ts";
import { familyErrors } from "../vault-reverts.ts";
import { defineErc4626 } from "./erc4626/erc4626-adapter.ts";
import { erc4626Deriver } from "./erc4626/erc4626-derivation.ts";

/**
 * Silo, version 2, the collateral that earns interest. `decimals()` are the asset's although shares have three more, and
 * `maxDeposit` is always the largest number. Source: silo-contracts-v2.
 */
export const silo = defineErc4626({
  name: "silo",
  limited: false,
  scale: 3,
  explain: familyErrors({ errors: { "error ReturnZeroShares()": "zero_shares" } }),
});

/** Silo's managed vaults, governed like MetaMorpho vaults. */
export const siloFamily: VaultFamily = {
  adapter: silo,
  type: "custom",
  deriver: erc4626Deriver(),
  governanceEvents: curationEvents("address"),
};
