import { familyErrors } from "../reverts.ts";
import { defineErc4626 } from "./erc4626/index.ts";

/** Gearbox' pools, version 3: ERC-4626 without virtual shares, and with a pause. Source: gearbox core-v3 PoolV3. */
export const gearbox = defineErc4626({
  name: "gearbox",
  pausable: true,
  ratio: true,
  explain: familyErrors({ errors: { "error AmountCantBeZeroException()": "zero_shares" } }),
});
