import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type Address, getAddress } from "viem";
import type { StackAccount } from "./accounts.ts";
import type { BridgingContracts } from "./chains/bridging.ts";
import type { Deployment } from "./chains/deploy.ts";
import { type ExecutorVersion, type Scenario, type TokenSymbol, tokenPlans } from "./chains/plan.ts";
import { familyOfVault } from "./chains/registry.ts";

interface StackToken {
  address: Address;
  decimals: number;
}

/** The contracts of bridges and swaps; `bridge_relayer` is who fills deposits. */
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
  bridge_relayer: Address;
}

export interface StackChain {
  chain_id: number;
  name: string;
  /** The node itself; the Worker goes through `emulators.rpc`. */
  rpc_url: string;
  contracts: {
    deposit_router: Address;
    multicall3: Address | null;
    morpho: Address;
    tokens: Record<TokenSymbol, StackToken>;
  } & StackBridging;
}

export interface StackVault {
  vault_id: string;
  adapter: string;
  name: string;
  /** Where its shares are counted; the vault itself in most families. */
  share_token: Address;
  chain_id: number;
  asset_symbol: TokenSymbol;
  /** What the vault is here for; `honest` ones simply work. */
  scenario: Scenario;
}

/** What `stack.json` says: where everything is. */
export interface StackManifest {
  api: string;
  chains: readonly StackChain[];
  accounts: readonly StackAccount[];
  vaults: readonly StackVault[];
  /** Each obeys `/__control`. LI.FI's API is under `/v1`, Across' under `/api`; `rpc` is by chain id. */
  emulators: {
    lifi: string;
    across: string;
    neon: string;
    upstash: string;
    rpc: Record<string, string>;
  };
  admin_token: string;
  database_url: string;
  redis_token: string;
}

export function describeChain({
  plan,
  url,
  depositRouter,
  multicall3,
  morpho,
  bridging,
  tokens,
}: Deployment): StackChain {
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
      tokens: described,
      ...describeBridging(bridging),
    },
  };
}

function describeBridging(bridging: BridgingContracts): StackBridging {
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
    bridge_relayer: bridging.relayer,
  };
}

export function describeVaults(deployment: Deployment): StackVault[] {
  const { chainId } = deployment.plan;
  return deployment.vaults.map((vault) => ({
    vault_id: `${chainId}:${vault.address.toLowerCase()}`,
    adapter: familyOfVault(vault).adapter,
    name: vault.plan.name,
    share_token: getAddress(vault.row.shareToken ?? vault.address),
    chain_id: chainId,
    asset_symbol: vault.plan.token,
    scenario: vault.plan.scenario,
  }));
}

/** Writes the manifest in one step: a reader sees all of it or the one before. */
export function writeManifest(file: string, manifest: StackManifest): void {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}
