import type { ChainSetting } from "../config.ts";
import { AppError } from "../errors.ts";
import type { ChainDefinition } from "./definition.ts";
import { knownChains } from "./known.ts";

/**
 * The chains a deployment serves: all known ones on public nodes when nothing is configured, otherwise
 * exactly the configured ones. Throws `internal` naming a chain whose setting is incomplete.
 */
export function resolveChains(
  settings: readonly ChainSetting[] | null,
): ReadonlyMap<number, ChainDefinition> {
  const chains = settings === null ? knownChains : settings.map(resolveChain);
  return new Map(chains.map((chain) => [chain.chainId, chain]));
}

function resolveChain(setting: ChainSetting): ChainDefinition {
  const known = knownChains.find((chain) => chain.chainId === setting.chain_id);
  if (known !== undefined) return { ...known, rpcUrls: setting.rpc_urls ?? known.rpcUrls };
  const { name, key, native, rpc_urls: rpcUrls } = setting;
  if (name === undefined || key === undefined || native === undefined || rpcUrls === undefined) {
    throw new AppError(
      "internal",
      `configuration: CHAINS: chain ${setting.chain_id} needs name, key, native and rpc_urls`,
    );
  }
  return {
    chainId: setting.chain_id,
    name,
    key,
    explorer: (setting.explorer ?? "").replace(/\/$/, ""),
    native,
    wrappedNative: setting.wrapped_native ?? null,
    rpcUrls,
    confirmations: setting.confirmations ?? 1,
  };
}
