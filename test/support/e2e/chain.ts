import {
  type Address,
  createPublicClient,
  encodeFunctionData,
  type Hex,
  http,
  numberToHex,
  type PublicClient,
} from "viem";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { inject } from "vitest";
import { stackTokenAbi, wrappedNativeAbi } from "#stand-ins/standard";
import { awaitReceipt } from "../../../scripts/stack/chains/await-receipt.ts";
import { rpc } from "../../../scripts/stack/chains/json-rpc.ts";
import type { TokenSymbol } from "../../../scripts/stack/chains/plan.ts";
import type { StackChain, StackVault } from "../../../scripts/stack/manifest.ts";
import { createWallet, type Eip1193Provider } from "../wallet.ts";

/** A local chain: its manifest entry and a client of its node. */
export interface TestChain {
  info: StackChain;
  chainId: number;
  rpcUrl: string;
  client: PublicClient;
}

/** An account with a wallet on one chain. */
export interface TestUser {
  address: Address;
  wallet: Eip1193Provider;
}

/** An account with a private key, able to sign on any chain. */
export interface KeyedUser extends TestUser {
  privateKey: Hex;
}

/** Returns a local chain by id. */
export function chainOf(chainId: number): TestChain {
  const info = inject("stack").chains.find((chain) => chain.chain_id === chainId);
  if (info === undefined) throw new Error(`no local chain ${chainId}`);
  const client = createPublicClient({ transport: http(info.rpc_url, { retryCount: 0 }), cacheTime: 0 });
  return { info, chainId, rpcUrl: info.rpc_url, client };
}

/** Ids of the local chains. The first has Multicall3, the second does not. */
export const chainIds = { one: 31337, two: 31338 } as const;

/** Returns a token's address on a chain. */
export function tokenOn(chain: TestChain, symbol: TokenSymbol): Address {
  return chain.info.contracts.tokens[symbol].address;
}

/** Returns the vaults of these scenarios. */
export function vaultsFor(...scenarios: StackVault["scenario"][]): StackVault[] {
  return inject("stack").vaults.filter((vault) => scenarios.includes(vault.scenario));
}

/** Returns the vault with a name. */
export function vaultNamed(name: string): StackVault {
  const vault = inject("stack").vaults.find((candidate) => candidate.name === name);
  if (vault === undefined) throw new Error(`no local vault is called ${name}`);
  return vault;
}

/** Returns the address in a vault id. */
export function addressOf(vault: Pick<StackVault, "vault_id">): Address {
  return vault.vault_id.split(":")[1] as Address;
}

/** Creates an account with native currency and the given token amounts, in smallest units. */
export async function newUser(
  chain: TestChain,
  funds: Partial<Record<TokenSymbol, bigint>> = {},
): Promise<KeyedUser> {
  const privateKey = generatePrivateKey();
  const address = privateKeyToAddress(privateKey);
  const wallet = createWallet({ privateKey, rpcUrl: chain.rpcUrl, chainId: chain.chainId });
  await rpc(chain.rpcUrl, "anvil_setBalance", address, numberToHex(10n ** 22n));
  const user = { address, wallet, privateKey };
  for (const [symbol, amount] of Object.entries(funds)) {
    await give(chain, { user, symbol: symbol as TokenSymbol, amount });
  }
  return user;
}

/** Returns the same account on another chain, with native currency there. */
export async function userOn(chain: TestChain, { address, privateKey }: KeyedUser): Promise<KeyedUser> {
  await rpc(chain.rpcUrl, "anvil_setBalance", address, numberToHex(10n ** 22n));
  const wallet = createWallet({ privateKey, rpcUrl: chain.rpcUrl, chainId: chain.chainId });
  return { address, privateKey, wallet };
}

/**
 * Gives a user tokens. Ordinary tokens are minted; the wrapped native token is minted by depositing native currency.
 */
export async function give(
  chain: TestChain,
  gift: { user: TestUser; symbol: TokenSymbol; amount: bigint },
): Promise<void> {
  const { user, symbol, amount } = gift;
  const args = [user.address, amount] as const;
  const call =
    symbol === "WETH"
      ? { data: encodeFunctionData({ abi: wrappedNativeAbi, functionName: "deposit" }), value: amount }
      : { data: encodeFunctionData({ abi: stackTokenAbi, functionName: "mint", args }), value: 0n };
  await mined(chain, await sendCall(user, { to: tokenOn(chain, symbol), ...call }));
}

/** Sends a transaction through the user's wallet, which estimates its gas. Value in wei. */
export async function sendCall(
  user: TestUser,
  call: { to: Address; data?: Hex; value?: bigint },
): Promise<Hex> {
  const { to, data = "0x", value = 0n } = call;
  const transaction = { from: user.address, to, data, value: numberToHex(value) };
  return (await user.wallet.request({ method: "eth_sendTransaction", params: [transaction] })) as Hex;
}

/** Returns a transaction's receipt. Throws if it reverted. */
export async function mined(chain: TestChain, hash: Hex) {
  const receipt = await awaitReceipt(chain.client, hash);
  if (receipt.status === "success") return receipt;
  const { gas } = await chain.client.getTransaction({ hash });
  throw new Error(`${hash} reverted after ${receipt.gasUsed} of ${gas} gas`);
}

/** Runs work, then restores the chain's earlier state and time. */
export async function withChainRestored<T>(chain: TestChain, work: () => Promise<T>): Promise<T> {
  const snapshot = await rpc(chain.rpcUrl, "evm_snapshot");
  try {
    return await work();
  } finally {
    await rpc(chain.rpcUrl, "evm_revert", snapshot);
  }
}
