import { type Address, domainSeparator } from "viem";
import { FIAT_VERSION } from "../chains/plan.ts";
import type { StackChain } from "../manifest.ts";

/** Returns the variable `AUTHORIZATIONS`: USDC like Circle's, and WETH with solmate's permits. */
export function authorizationsVariable(
  chains: readonly Pick<StackChain, "chain_id" | "contracts">[],
): string {
  const rows = chains.map(({ chain_id: chainId, contracts: { tokens } }) => {
    const row = (token: Address, domain: { name: string; version: string }) => ({
      ...{ token, ...domain },
      separator: domainSeparator({ domain: { ...domain, chainId, verifyingContract: token } }),
      permit: true,
    });
    return [
      chainId,
      [
        {
          ...row(tokens.USDC.address, { name: "USD Coin", version: FIAT_VERSION }),
          ...{ erc3009: true, checks: "code" },
        },
        {
          ...row(tokens.WETH.address, { name: "Wrapped Ether", version: "1" }),
          ...{ erc3009: false, checks: "ecrecover" },
        },
      ],
    ] as const;
  });
  return JSON.stringify(Object.fromEntries(rows));
}
