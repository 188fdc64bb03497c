import {
  type Address,
  createPublicClient,
  createWalletClient,
  defineChain,
  type Hex,
  http,
  type TransactionReceipt,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { awaitReceipt } from "../chains/await-receipt.ts";
import type { StackManifest } from "../manifest.ts";

/** An account that signs and sends calls. */
export interface DemoWallet {
  address: Address;
  /** Sends a call and waits for its receipt. Throws when it reverts. */
  send(call: { to: Address; data: Hex; value?: bigint }): Promise<TransactionReceipt>;
}

/** Opens the stack's first account on one of the chains. Throws if there is no such chain. */
export function walletOn(chainId: number, { chains, accounts }: StackManifest): DemoWallet {
  const chain = chains.find(({ chain_id }) => chain_id === chainId);
  const [owner] = accounts;
  if (chain === undefined || owner === undefined)
    throw new Error("the stack has no such chain or no account");
  const account = privateKeyToAccount(owner.private_key);
  const definition = defineChain({
    id: chain.chain_id,
    name: chain.name,
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [chain.rpc_url] } },
  });
  const options = { chain: definition, transport: http() };
  const client = createPublicClient(options);
  const wallet = createWalletClient({ ...options, account });
  return {
    address: account.address,
    async send(call) {
      const hash = await wallet.sendTransaction(call);
      const receipt = await awaitReceipt(client, hash);
      if (receipt.status !== "success") throw new Error(`transaction ${hash} reverted`);
      return receipt;
    },
  };
}
