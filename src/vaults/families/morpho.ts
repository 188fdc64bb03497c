import { defineErc4626 } from "./erc4626.ts";

/**
 * MetaMorpho 1.0 and 1.1: ERC-4626 with neither pause nor minimum; `maxDeposit` may overstate when a market
 * stands in the supply queue twice. Fee shares that have accrued are missing in `totalSupply`, so that only the
 * vault's own conversion tells what a balance is worth. Source: morpho-org/metamorpho.
 */
export const metaMorpho = defineErc4626({ name: "metamorpho", noMinimum: true });
