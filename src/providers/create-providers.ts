import type {
  AcrossSetting,
  KyberSetting,
  LifiSetting,
  ProviderSettings,
  VeloraSetting,
} from "../config/config.ts";
import { createAcross } from "./across/across-provider.ts";
import { createKyber } from "./kyber/kyber-provider.ts";
import { RateLimitMemory } from "./lifi/api/lifi-rate-limits.ts";
import type { StargateContracts } from "./lifi/bridge-proof/stargate-and-cctp-contracts.ts";
import { createLifi } from "./lifi/lifi-provider.ts";
import type { Provider } from "./provider.ts";
import { createVelora } from "./velora/velora-provider.ts";

/**
 * Creates one provider for each upstream in the settings, in this order: Across, LI.FI, KyberSwap, Velora. Call it once
 * per isolate, because providers remember rate limits. Throws `internal` if a provider rejects its settings.
 */
export function createProviders({ lifi, across, kyber, velora }: ProviderSettings): Provider[] {
  return [
    ...(across === undefined ? [] : [acrossFromSettings(across)]),
    ...(lifi === undefined ? [] : [lifiFromSettings(lifi)]),
    ...(kyber === undefined ? [] : [kyberFromSettings(kyber)]),
    ...(velora === undefined ? [] : [veloraFromSettings(velora)]),
  ];
}

function acrossFromSettings(setting: AcrossSetting): Provider {
  return createAcross({
    apiUrl: setting.api_url,
    ...(setting.api_key === undefined ? {} : { apiKey: setting.api_key }),
    ...(setting.integrator_id === undefined ? {} : { integratorId: setting.integrator_id }),
    deployments: setting.deployments.map(([chainId, row]) => ({
      chainId,
      spokePool: row.spoke_pool,
      multicallHandler: row.multicall_handler,
      wrappedNative: row.wrapped_native,
      tokens: row.tokens,
    })),
  });
}

function kyberFromSettings(setting: KyberSetting): Provider {
  return createKyber({
    apiUrl: setting.api_url,
    clientId: setting.client_id,
    deployments: setting.deployments.map(([chainId, row]) => ({ chainId, ...row })),
  });
}

function veloraFromSettings(setting: VeloraSetting): Provider {
  return createVelora({
    apiUrl: setting.api_url,
    deployments: setting.deployments.map(([chainId, row]) => ({ chainId, ...row })),
  });
}

function lifiFromSettings(setting: LifiSetting): Provider {
  const rows = setting.deployments.map(
    ([chainId, row]) =>
      [
        chainId,
        {
          diamond: row.diamond,
          executor: row.executor,
          erc20Proxy: row.erc20_proxy,
          receiverAcross: row.receiver_across,
          receiverStargate: row.receiver_stargate,
          feeForwarders: row.fee_forwarders,
          maxNativeFee: row.max_native_fee,
          bridges: row.bridges,
          wrappedNative: row.wrapped_native,
          assets: row.assets,
          stargate: row.stargate === undefined ? null : stargateFromSetting(row.stargate),
          circle: row.circle ?? null,
        },
      ] as const,
  );
  return createLifi({
    apiUrl: setting.api_url,
    apiKey: setting.api_key ?? null,
    integrator: setting.integrator,
    rateLimits: new RateLimitMemory(),
    deployments: new Map(rows),
  });
}

type LifiDeploymentSetting = LifiSetting["deployments"][number][1];

function stargateFromSetting(row: NonNullable<LifiDeploymentSetting["stargate"]>): StargateContracts {
  const { endpoint_id: endpointId, endpoint, token_messaging: messaging = null, pools } = row;
  const named = pools.map(({ asset_id: assetId, ...pool }) => ({ assetId, ...pool }));
  return { endpointId, endpoint, messaging, pools: named };
}
