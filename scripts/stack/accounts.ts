import type { Address, Hex } from "viem";
import { mnemonicToAccount } from "viem/accounts";

/** What anvil funds with 10,000 ETH each; public knowledge, so never send anything real there. */
const MNEMONIC = "test test test test test test test test test test test junk";

export interface StackAccount {
  address: Address;
  private_key: Hex;
}

/** The ten accounts of both chains. */
export const accounts: readonly StackAccount[] = Array.from({ length: 10 }, (_, addressIndex) => {
  const account = mnemonicToAccount(MNEMONIC, { addressIndex });
  const key = Buffer.from(account.getHdKey().privateKey ?? []).toString("hex");
  return { address: account.address, private_key: `0x${key}` };
});

/** The first seven hold tokens, the others only ETH. */
export const tokenHolders: readonly Address[] = accounts.slice(0, 7).map(({ address }) => address);
