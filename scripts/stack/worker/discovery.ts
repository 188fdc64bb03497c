import type { StackChain } from "../manifest.ts";

/** Total assets that a discovered vault of the local stack needs, in US dollars. */
const MIN_TVL_USD = 10_000;

/**
 * Returns the variable `DISCOVERY`: the registers of each chain, and the conditions under which a vault is opened: USDC
 * as asset, and the usual ones except the minimum age.
 */
export function discoveryVariable(chains: readonly Pick<StackChain, "chain_id" | "contracts">[]): string {
  return JSON.stringify({
    assets: chains.map(({ chain_id, contracts }) => `${chain_id}:${contracts.tokens.USDC.address}`),
    min_tvl_usd: MIN_TVL_USD,
    min_age_days: 0,
    registers: chains.flatMap(({ chain_id, contracts }) =>
      (contracts.vault_registers?.registers ?? []).map((register) => ({ chain_id, ...register })),
    ),
  });
}
