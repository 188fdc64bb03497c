import { curationEvents } from "../governance/common-governance-events.ts";
import type { VaultFamily } from "../vault-adapter.ts";
import { familyErrors } from "../vault-reverts.ts";
import { defineErc4626 } from "./erc4626-base/erc4626-adapter.ts";
import { erc4626Deriver } from "./erc4626-base/erc4626-derivation.ts";
import { erc4626Exits } from "./erc4626-base/erc4626-exits.ts";

/**
 * Adapter of Silo v2 vaults for collateral that earns interest. `decimals()` returns those of the asset although shares
 * have three more, and `maxDeposit` always returns the largest uint256. Source: silo-contracts-v2.
 */
export const silo = defineErc4626({
  name: "silo",
  limited: false,
  scale: 3,
  exits: {
    ...erc4626Exits(),
    explain: familyErrors({
      errors: {
        "error NotSolvent()": "not_allowed",
        "error ReturnZeroAssets()": "nothing_to_withdraw",
        "error InputZeroShares()": "nothing_to_withdraw",
      },
    }),
  },
  explain: familyErrors({ errors: { "error ReturnZeroShares()": "zero_shares" } }),
});

/** Vault family of Silo v2. Its governance events are those of Silo's managed vaults, which are forks of MetaMorpho. */
export const siloFamily: VaultFamily = {
  adapter: silo,
  type: "custom",
  deriver: erc4626Deriver(),
  governanceEvents: curationEvents("address"),
};
