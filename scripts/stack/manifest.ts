import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Address, getAddress } from "viem";
import type { StackAccount } from "./accounts.ts";
import type { DeployedChain } from "./chains/deploy-chain.ts";
import {
  adapterOfPlan,
  type ExecutorVersion,
  type Scenario,
  type TokenSymbol,
  tokenPlans,
} from "./chains/plan.ts";
import type { VaultRegisters } from "./chains/vault-registers.ts";

interface StackToken {
  address: Address;
  decimals: number;
}

/** Contracts of bridges and swaps; `bridge_relayer` fills deposits. */
export interface StackBridging {
  spoke_pool: Address;
  multicall_handler: Address;
  lifi_diamond: Address;
  lifi_executor: Address;
  lifi_executor_version: ExecutorVersion;
  lifi_erc20_proxy: Address;
  lifi_receiver: Address;
  lifi_fee_forwarder: Address;
  lifi_receiver_stargate: Address;
  layerzero_endpoint: Address;
  stargate_token_messaging: Address;
  stargate_pools: readonly { asset_id: number; pool: Address; token: Address; decimals: number }[];
  circle_transmitter: Address;
  dex: Address;
  kyber_router: Address;
  velora_router: Address;
  bridge_relayer: Address;
}

/** A chain in `stack.json`. */
export interface StackChain {
  chain_id: number;
  name: string;
  /** The node itself; the Worker uses `emulators.rpc`. */
  rpc_url: string;
  contracts: {
    deposit_router: Address;
    multicall3: Address | null;
    morpho: Address;
    /** Price feeds by token; WETH's is also the native currency's. */
    price_feeds: DeployedChain["priceFeeds"]["feeds"];
    /** The sequencer uptime feed, or null. */
    sequencer_feed: Address | null;
    tokens: Record<TokenSymbol, StackToken>;
    /** Registers from which vaults are discovered, and these vaults by purpose. Null on a chain without them. */
    vault_registers: VaultRegisters | null;
  } & StackBridging;
}

/** A vault in `stack.json`. */
export interface StackVault {
  vault_id: string;
  adapter: string;
  name: string;
  /** Token of its shares; in most families the vault itself. */
  share_token: Address;
  chain_id: number;
  asset_symbol: TokenSymbol;
  /** Purpose of the vault; `honest` vaults accept deposits normally. */
  scenario: Scenario;
}

/** Contents of `stack.json`: the addresses of all parts. */
export interface StackManifest {
  api: string;
  chains: readonly StackChain[];
  accounts: readonly StackAccount[];
  vaults: readonly StackVault[];
  /** Control URL of the model of the platform's cache in front of the Worker, or null without `--edge-cache`. */
  edge_cache: string | null;
  /**
   * URLs of the emulators, each with `/__control`. LI.FI's API is under `/v1`, Across's under `/api`; `swaps` is
   * KyberSwap's, under the chain's name; `velora` is Velora's, without a prefix; `prices` is DefiLlama's coins API and also sets the feeds; `rpc` is by chain
   * id.
   */
  emulators: {
    lifi: string;
    across: string;
    swaps: string;
    velora: string;
    prices: string;
    neon: string;
    upstash: string;
    rpc: Record<string, string>;
  };
  admin_token: string;
  database_url: string;
  redis_token: string;
}

/** Returns a deployed chain's entry in `stack.json`. */
export function describeChain({
  plan,
  url,
  depositRouter,
  multicall3,
  morpho,
  bridging,
  tokens,
  priceFeeds,
  registers,
}: DeployedChain): StackChain {
  const entries = tokenPlans.map(({ symbol, decimals }) => [symbol, { address: tokens[symbol], decimals }]);
  const described = Object.fromEntries(entries) as Record<TokenSymbol, StackToken>;
  return {
    chain_id: plan.chainId,
    name: plan.name,
    rpc_url: url,
    contracts: {
      deposit_router: depositRouter,
      multicall3,
      morpho,
      price_feeds: priceFeeds.feeds,
      sequencer_feed: priceFeeds.sequencer,
      tokens: described,
      vault_registers: registers,
      ...describeBridging(bridging),
    },
  };
}

function describeBridging(bridging: DeployedChain["bridging"]): StackBridging {
  return {
    spoke_pool: bridging.spokePool,
    multicall_handler: bridging.multicallHandler,
    lifi_diamond: bridging.diamond,
    lifi_executor: bridging.executor,
    lifi_executor_version: bridging.executorVersion,
    lifi_erc20_proxy: bridging.erc20Proxy,
    lifi_receiver: bridging.receiverAcross,
    lifi_fee_forwarder: bridging.feeForwarder,
    lifi_receiver_stargate: bridging.stargate.receiver,
    layerzero_endpoint: bridging.stargate.endpoint,
    stargate_token_messaging: bridging.stargate.messaging,
    stargate_pools: bridging.stargate.pools.map(({ assetId, ...pool }) => ({ asset_id: assetId, ...pool })),
    circle_transmitter: bridging.circle.transmitter,
    dex: bridging.exchange,
    kyber_router: bridging.kyberRouter,
    velora_router: bridging.veloraRouter,
    bridge_relayer: bridging.relayer,
  };
}

/** Returns the entries of a chain's vaults in `stack.json`. */
export function describeVaults(deployment: DeployedChain): StackVault[] {
  const { chainId } = deployment.plan;
  return deployment.vaults.map((vault) => ({
    vault_id: `${chainId}:${vault.address.toLowerCase()}`,
    adapter: adapterOfPlan(vault.plan),
    name: vault.plan.name,
    share_token: getAddress(vault.row.shareToken ?? vault.address),
    chain_id: chainId,
    asset_symbol: vault.plan.token,
    scenario: vault.plan.scenario,
  }));
}

/** Writes the manifest atomically, so that readers see a complete file. */
export function writeManifest(file: string, manifest: StackManifest): void {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

/** Reads the manifest of a running stack, by default that of `npm start`. Throws if there is none. */
export function readManifest(file = join(import.meta.dirname, "../../.stack/stack.json")): StackManifest {
  if (!existsSync(file))
    throw new Error(`no stack is running: ${file} does not exist; start it with npm start`);
  return JSON.parse(readFileSync(file, "utf8")) as StackManifest;
}

/** Returns a chain of the manifest. Throws if the stack has no such chain. */
export function chainIn({ chains }: StackManifest, chainId: number): StackChain {
  const chain = chains.find(({ chain_id }) => chain_id === chainId);
  if (chain === undefined) throw new Error(`the stack has no chain ${chainId}`);
  return chain;
}
