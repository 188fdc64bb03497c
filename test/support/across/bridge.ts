import {
  type Abi,
  type Address,
  encodeDeployData,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  maxUint256,
  pad,
} from "viem";
import {
  noReturnTokenAbi,
  noReturnTokenCreationCode,
  openZeppelinVaultAbi,
  openZeppelinVaultCreationCode,
  stackTokenAbi,
  stackTokenCreationCode,
  wrappedNativeAbi,
  wrappedNativeCreationCode,
} from "#stand-ins/standard";
import { publishedCode } from "../../../scripts/stack/chains/published-code.ts";
import {
  deploy,
  type ScratchChain,
  send,
  startScratchChain,
} from "../../../scripts/stack/chains/scratch-chain.ts";
import { spokePoolDeployData, spokePoolProxyDeployData } from "../../../scripts/stack/chains/spoke-pool.ts";
import { type ChainClient, createChainClient, NodeHealth } from "../../../src/chains/chain-client.ts";
import { Timing } from "../../../src/lib/outside-call-timing.ts";
import { spokePoolAbi } from "../../../src/providers/across/across-abi.ts";
import type { AcrossDeployment } from "../../../src/providers/across/across-deployments.ts";
import type { AcrossDeposit } from "../../../src/providers/across/tracking/across-deposit-tracking.ts";
import { deployTransaction } from "../../../src/router/router-address.ts";

/** The relayer's account, which holds tokens on every chain. */
export const RELAYER: Address = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
const SUPPLY = 10n ** 24n;

export type TokenSymbol = "USDC" | "USDT" | "WETH";

export interface BridgedChain {
  chain: ScratchChain;
  client: ChainClient;
  deployment: AcrossDeployment & { multicallHandler: Address };
  tokens: Record<TokenSymbol, Address>;
  vaults: Record<TokenSymbol, Address>;
}

/** Starts a chain with tokens, a vault for each token, Across' contracts and the DepositRouter. */
export async function startBridged(chainId: number): Promise<BridgedChain> {
  const chain = await startScratchChain("--chain-id", String(chainId));
  await send(chain, deployTransaction());
  const named = (abi: Abi, code: Hex, symbol: string) =>
    deploy(chain, encodeDeployData({ abi, bytecode: code, args: [symbol, symbol, 6] }));
  const tokens: Record<TokenSymbol, Address> = {
    USDC: await named(stackTokenAbi, stackTokenCreationCode, "USDC"),
    USDT: await named(noReturnTokenAbi as Abi, noReturnTokenCreationCode, "USDT"),
    WETH: await deploy(chain, wrappedNativeCreationCode),
  };
  const implementation = await deploy(chain, spokePoolDeployData(tokens.WETH));
  const spokePool = await deploy(chain, spokePoolProxyDeployData(implementation, chain.account));
  const deployment = {
    chainId,
    spokePool,
    multicallHandler: await deploy(chain, publishedCode("multicallHandler")),
    wrappedNative: tokens.WETH,
    tokens: [
      { asset: "USDC", address: tokens.USDC, decimals: 6 },
      { asset: "USDT", address: tokens.USDT, decimals: 6 },
      { asset: "WETH", address: tokens.WETH, decimals: 18 },
    ],
  };
  const vaults = {
    USDC: await deployVault(chain, tokens.USDC),
    USDT: await deployVault(chain, tokens.USDT),
    WETH: await deployVault(chain, tokens.WETH),
  };
  const bridged = { chain, client: clientOf(chain, chainId), deployment, tokens, vaults };
  await fund(bridged);
  return bridged;
}

function deployVault(chain: ScratchChain, asset: Address): Promise<Address> {
  const args = [asset, "Vault", "V", 0] as const;
  const data = { abi: openZeppelinVaultAbi, bytecode: openZeppelinVaultCreationCode, args } as const;
  return deploy(chain, encodeDeployData(data));
}

function clientOf(chain: ScratchChain, chainId: number): ChainClient {
  const definition = {
    chainId,
    name: `Local ${chainId}`,
    key: `local-${chainId}`,
    explorer: "",
    native: { symbol: "ETH", decimals: 18 },
    wrappedNative: null,
    rpcUrls: [String(chain.node.transport["url"])],
    confirmations: 1,
  };
  const now = (): number => Date.now();
  const fetcher = (input: string, init?: RequestInit): Promise<Response> => fetch(input, init);
  return createChainClient({
    definition,
    health: new NodeHealth(),
    fetch: fetcher,
    timing: new Timing(now),
    now,
  });
}

/** Funds the relayer and approves the SpokePool to take its tokens. */
async function fund({ chain, tokens, deployment }: BridgedChain): Promise<void> {
  for (const token of [tokens.USDC, tokens.USDT]) await mint(chain, { token, to: RELAYER, amount: SUPPLY });
  const wrap = encodeFunctionData({ abi: wrappedNativeAbi, functionName: "deposit" });
  await send(chain, { from: RELAYER, to: tokens.WETH, data: wrap, value: 10n ** 20n });
  for (const token of Object.values(tokens))
    await approve(chain, { from: RELAYER, token, spender: deployment.spokePool, amount: maxUint256 });
}

export async function mint(
  chain: ScratchChain,
  { token, to, amount }: { token: Address; to: Address; amount: bigint },
): Promise<void> {
  const data = encodeFunctionData({ abi: stackTokenAbi, functionName: "mint", args: [to, amount] });
  await send(chain, { to: token, data });
}

export async function approve(
  chain: ScratchChain,
  { from, token, spender, amount }: { from: Address; token: Address; spender: Address; amount: bigint },
): Promise<void> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, amount] });
  await send(chain, { from, to: token, data });
}

export function balanceOf(chain: ScratchChain, of: { token: Address; owner: Address }): Promise<bigint> {
  return chain.node.readContract({
    address: of.token,
    abi: erc20Abi,
    functionName: "balanceOf",
    args: [of.owner],
  });
}

/** Sends the relayer's transaction that fills a deposit. */
export function fillTransaction(deposited: AcrossDeposit, spokePool: Address) {
  const { destinationChainId, quoteTimestamp: _, originChainId, ...relay } = deposited;
  const data = encodeFunctionData({
    abi: spokePoolAbi(),
    functionName: "fillRelay",
    args: [{ ...relay, originChainId: BigInt(originChainId) }, BigInt(destinationChainId), pad(RELAYER)],
  });
  return { from: RELAYER, to: spokePool, data };
}
