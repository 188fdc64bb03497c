import { wardEvents } from "../governance/common-governance-events.ts";
import type { VaultFamily } from "../vault-adapter.ts";
import { familyErrors } from "../vault-reverts.ts";
import { defineErc4626 } from "./erc4626-base/erc4626-adapter.ts";
import { erc4626Deriver } from "./erc4626-base/erc4626-derivation.ts";
import { erc4626Exits } from "./erc4626-base/erc4626-exits.ts";

/**
 * Adapter of interest-bearing savings tokens: sDAI, sUSDS, stUSDS and Spark Vaults V2. None has a minimum deposit.
 * Sources: sky-ecosystem/sdai, sky-ecosystem/stusds, sparkdotfi/spark-vaults-v2.
 */
export const spark = defineErc4626({
  name: "spark",
  noMinimum: true,
  ratio: true,
  // `previewRedeem` of Spark Vaults V2 reverts while the vault is short of liquidity, which the revert data says.
  exits: {
    ...erc4626Exits(),
    explain: familyErrors({ reasons: [{ reason: /^\w+\/insufficient-liquidity$/, code: "no_liquidity" }] }),
  },
  explain: familyErrors({
    reasons: [{ reason: /^\w+\/(deposit|supply)-cap-exceeded$/, code: "above_maximum" }],
  }),
});

/** Vault family of Sky's and Spark's savings tokens, which are governed by wards (accounts with full admin rights). */
export const sparkFamily: VaultFamily = {
  adapter: spark,
  type: "custom",
  deriver: erc4626Deriver(),
  governanceEvents: wardEvents("address", "usr"),
};
