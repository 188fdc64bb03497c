import type { Address, Hex } from "viem";
import { mnemonicToAccount } from "viem/accounts";

/** anvil's default mnemonic; each account holds 10,000 ETH. It is public: never send real funds to these accounts. */
const MNEMONIC = "test test test test test test test test test test test junk";

/** An account of the local chains, with its private key. */
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

/** Accounts that hold tokens: the first seven; the others hold only ETH. */
export const tokenHolders: readonly Address[] = accounts.slice(0, 7).map(({ address }) => address);
