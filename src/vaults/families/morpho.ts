import { defineErc4626 } from "./erc4626.ts";

/**
 * MetaMorpho 1.0 and 1.1: ERC-4626 with neither pause nor minimum; `maxDeposit` may overstate when a market
 * stands in the supply queue twice. Source: morpho-org/metamorpho.
 */
export const metaMorpho = defineErc4626({ name: "metamorpho", noMinimum: true, pausable: false });
