import { type Address, encodeFunctionData, erc20Abi, type Hex, numberToHex, zeroAddress } from "viem";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { expect } from "vitest";
import { stackTokenAbi, wrappedNativeAbi } from "#stand-ins/standard";
import { tokenHolders } from "../../../scripts/stack/accounts.ts";
import { balanceOf, type NodeReceipt, receiptOf } from "../../../scripts/stack/bridge/node-requests.ts";
import type { DeployedChain } from "../../../scripts/stack/chains/deploy-chain.ts";
import { rpc } from "../../../scripts/stack/chains/json-rpc.ts";
import type { TokenSymbol } from "../../../scripts/stack/chains/plan.ts";
import type { Relayer } from "../../../scripts/stack/emulators/control.ts";
import { describeChain } from "../../../scripts/stack/manifest.ts";
import { control, startHub, startProcess, type TestHub } from "./harness.ts";

/** Both chains with the bridge and the emulated providers, without a Worker. */
export interface BridgedStack {
  hub: TestHub;
  one: DeployedChain;
  two: DeployedChain;
  close(): Promise<void>;
}

/** Starts both chains and the bridge between them. */
export async function startBridged(): Promise<BridgedStack> {
  const chains = startProcess("chains");
  const hub = await startHub();
  const close = async () => {
    await Promise.all([chains.close(), hub.close()]);
  };
  try {
    await chains.child.ask("start");
    const [one, two] = await chains.child.ask<DeployedChain[]>("deploy", tokenHolders);
    if (one === undefined || two === undefined) throw new Error("two chains expected");
    await hub.child.ask("bridge", [one, two]);
    return { hub, one, two, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Returns the chains' entries of the manifest. */
export const manifestOf = ({ one, two }: BridgedStack) => [one, two].map(describeChain);

/** Returns a chain's id. */
export const chainIdOf = ({ plan }: DeployedChain): number => plan.chainId;

/** Returns a token's address; the zero address for `ETH`. */
export const tokenOn = (chain: DeployedChain, symbol: TokenSymbol | "ETH"): Address =>
  symbol === "ETH" ? zeroAddress : chain.tokens[symbol];

/** Creates an account that both chains impersonate, with native currency for gas. */
export async function newUser({ one, two }: BridgedStack): Promise<Address> {
  const user = privateKeyToAddress(generatePrivateKey());
  for (const { url } of [one, two]) {
    await rpc(url, "anvil_impersonateAccount", user);
    await rpc(url, "anvil_setBalance", user, numberToHex(10n ** 22n));
  }
  return user;
}

/**
 * Gives an account tokens. Ordinary tokens are minted; the wrapped native token is minted by depositing native
 * currency.
 */
export async function give(
  chain: DeployedChain,
  { user, symbol, amount }: { user: Address; symbol: TokenSymbol; amount: bigint },
): Promise<void> {
  const to = chain.tokens[symbol];
  const mint = encodeFunctionData({ abi: stackTokenAbi, functionName: "mint", args: [user, amount] });
  const wrap = encodeFunctionData({ abi: wrappedNativeAbi, functionName: "deposit" });
  await send(chain, symbol === "WETH" ? { user, to, data: wrap, value: amount } : { user, to, data: mint });
}

/** Sends a user's call and waits for its receipt, whether it succeeds or reverts. */
export async function trySend(
  chain: DeployedChain,
  call: { user: Address; to: Address; data: Hex; value?: bigint },
): Promise<NodeReceipt> {
  const { user, to, data, value = 0n } = call;
  const transaction = { from: user, to, data, value: numberToHex(value), gas: numberToHex(5_000_000) };
  const hash = String(await rpc(chain.url, "eth_sendTransaction", transaction)) as Hex;
  for (let attempt = 0; attempt < 500; attempt += 1) {
    const receipt = await receiptOf(chain.url, hash);
    if (receipt !== null) return receipt;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`${hash} was not mined`);
}

/** Sends a user's call. Fails when it reverts. */
export async function send(chain: DeployedChain, call: Parameters<typeof trySend>[1]): Promise<NodeReceipt> {
  const receipt = await trySend(chain, call);
  if (!receipt.status) throw new Error(`${receipt.transactionHash} reverted`);
  return receipt;
}

/** Sends a user's approval. */
export function approve(
  chain: DeployedChain,
  { user, token, spender, amount }: { user: Address; token: Address; spender: Address; amount: bigint },
): Promise<NodeReceipt> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, amount] });
  return send(chain, { user, to: token, data });
}

/** Returns an account's balance of a token, given by symbol, or of a vault's shares, given by the vault's name. */
export function held(chain: DeployedChain, [owner, what]: readonly [Address, string]): Promise<bigint> {
  const vault = chain.vaults.find(({ plan }) => plan.name === what);
  const token = vault?.address ?? tokenOn(chain, what as TokenSymbol | "ETH");
  return balanceOf(chain.url, { token, owner });
}

/** When a bridge that delivers nothing is given up, and the polling interval, in milliseconds. */
export const DELIVERY_POLLING = { timeout: 240_000, interval: 50 };

/** Changes the relayer's settings for one service. */
export async function relayerOf(url: string, relayer: Partial<Relayer>): Promise<void> {
  expect((await control(url, { relayer })).status).toBe(200);
}
