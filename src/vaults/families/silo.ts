import { familyErrors } from "../reverts.ts";
import { defineErc4626 } from "./erc4626/index.ts";

/**
 * Silo, version 2: `decimals` are the asset's although shares are a thousand times finer, and `maxDeposit` is
 * always the largest number. The collateral that earns, not the protected one. Source: silo-contracts-v2.
 */
export const silo = defineErc4626({
  name: "silo",
  limited: false,
  scale: 3,
  explain: familyErrors({ errors: { "error ReturnZeroShares()": "zero_shares" } }),
});
