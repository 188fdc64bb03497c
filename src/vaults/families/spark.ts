import { familyErrors } from "../reverts.ts";
import { defineErc4626 } from "./erc4626/index.ts";

/**
 * Savings tokens that accrue by a rate: sDAI, sUSDS, stUSDS and Spark's vaults, version 2. None has a minimum.
 * Source: sky-ecosystem/sdai, sky-ecosystem/stusds, sparkdotfi/spark-vaults-v2.
 */
export const spark = defineErc4626({
  name: "spark",
  noMinimum: true,
  ratio: true,
  explain: familyErrors({
    reasons: [{ reason: /^\w+\/(deposit|supply)-cap-exceeded$/, code: "above_maximum" }],
  }),
});
