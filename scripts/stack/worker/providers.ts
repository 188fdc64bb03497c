import { chainSlug } from "../emulators/swaps/chain-slug.ts";
import type { HubAddresses } from "../hub/main.ts";
import type { StackChain } from "../manifest.ts";

/** Integrator name that LI.FI writes on chain. */
const INTEGRATOR = "causeway";
/** Largest LayerZero message fee on the local stack, in wei. */
const MAX_NATIVE_FEE = "100000000000000";
const NATIVE = "0x0000000000000000000000000000000000000000";

/** Id of the chain on which Velora swaps in place of KyberSwap, as on Gnosis. */
const VELORA_CHAIN = 31_338;

type ContractsOf = Pick<StackChain, "chain_id" | "contracts">;

/**
 * Returns the variable `PROVIDERS`: the providers' API URLs and, for chains unknown to the code, their contracts by
 * chain id. Amounts are decimal strings.
 */
export function providersVariable(
  hub: Pick<HubAddresses, "lifi" | "across" | "swaps" | "velora">,
  chains: readonly ContractsOf[],
): string {
  const byChain = <T>(describe: (chainId: number, contracts: StackChain["contracts"]) => T) =>
    Object.fromEntries(chains.map(({ chain_id: id, contracts }) => [id, describe(id, contracts)]));
  return JSON.stringify({
    lifi: { api_url: `${hub.lifi}/v1`, integrator: INTEGRATOR, deployments: byChain(lifiDeployment) },
    across: { api_url: `${hub.across}/api`, deployments: byChain(acrossDeployment) },
    kyber: { api_url: hub.swaps, deployments: without(VELORA_CHAIN, byChain(kyberDeployment)) },
    velora: { api_url: hub.velora, deployments: only(VELORA_CHAIN, byChain(veloraDeployment)) },
  });
}

const only = <T>(chainId: number, rows: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(rows).filter(([id]) => Number(id) === chainId));
const without = <T>(chainId: number, rows: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(rows).filter(([id]) => Number(id) !== chainId));

function lifiDeployment(chainId: number, contracts: StackChain["contracts"]) {
  return {
    diamond: contracts.lifi_diamond,
    executor: contracts.lifi_executor,
    erc20_proxy: contracts.lifi_erc20_proxy,
    receiver_across: contracts.lifi_receiver,
    receiver_stargate: contracts.lifi_receiver_stargate,
    fee_forwarders: [contracts.lifi_fee_forwarder],
    max_native_fee: MAX_NATIVE_FEE,
    bridges: ["across", "stargate", "celer", "polymer"],
    wrapped_native: contracts.tokens.WETH.address,
    assets: [
      { asset: "eth", address: NATIVE, decimals: contracts.tokens.WETH.decimals },
      { asset: "eth", ...contracts.tokens.WETH },
      { asset: "usdc", ...contracts.tokens.USDC },
      { asset: "usdt", ...contracts.tokens.USDT },
      { asset: "wbtc", ...contracts.tokens.WBTC },
    ],
    stargate: {
      endpoint_id: chainId,
      endpoint: contracts.layerzero_endpoint,
      token_messaging: contracts.stargate_token_messaging,
      pools: contracts.stargate_pools,
    },
    circle: {
      domain: chainId,
      transmitter: contracts.circle_transmitter,
      usdc: contracts.tokens.USDC.address,
    },
  };
}

const kyberDeployment = (chainId: number, contracts: StackChain["contracts"]) => ({
  slug: chainSlug(chainId),
  router: contracts.kyber_router,
});

const veloraDeployment = (_chainId: number, contracts: StackChain["contracts"]) => ({
  router: contracts.velora_router,
});

function acrossDeployment(_chainId: number, contracts: StackChain["contracts"]) {
  const { FEE: _, ...bridged } = contracts.tokens;
  return {
    spoke_pool: contracts.spoke_pool,
    multicall_handler: contracts.multicall_handler,
    wrapped_native: contracts.tokens.WETH.address,
    tokens: Object.entries(bridged).map(([asset, token]) => ({ asset, ...token })),
  };
}
