import { ownErrors } from "../own-errors.ts";
import { defineErc4626 } from "./erc4626.ts";

/**
 * Savings tokens that accrue by a rate: sDAI, sUSDS, stUSDS and Spark's vaults, version 2. None has a minimum.
 * Source: sky-ecosystem/sdai, sky-ecosystem/stusds, sparkdotfi/spark-vaults-v2.
 */
export const spark = defineErc4626({
  name: "spark",
  noMinimum: true,
  ratio: true,
  explain: ownErrors({
    reasons: [{ reason: /^\w+\/(deposit|supply)-cap-exceeded$/, code: "above_maximum" }],
  }),
});
