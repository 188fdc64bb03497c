import { balanceOf } from "../e2e/balances.ts";
import { chainOf, vaultNamed } from "../e2e/chain.ts";

/** Returns an account's balance of a vault's shares, in the smallest unit. */
export const sharesOf = (name: string, owner: `0x${string}`): Promise<bigint> => {
  const { chain_id: chainId, share_token: token } = vaultNamed(name);
  return balanceOf(chainOf(chainId), { token, owner });
};
