import { type Address, zeroAddress } from "viem";
import type { ChainDefinition } from "../chains/definitions.ts";
import type { Context } from "../context.ts";
import { sameAddress } from "../lib/address.ts";
import { describeError } from "../lib/logger.ts";
import { depositRouterAddress } from "../router/address.ts";
import { isRouterDeployed } from "./router-deployment.ts";
import type { Token, Vault } from "./vault.ts";

/** Where deposits into a vault go: through the chain's Router, or to the vault's own entry point. */
export interface DepositEntry {
  via: "router" | "user";
  address: Address;
}

/**
 * Where deposits into a vault go. A vault that must see the user as caller never goes through the Router.
 * Throws what reading the chain throws when the Router's code has never been seen.
 */
export async function depositEntry(ctx: Context, vault: Vault): Promise<DepositEntry> {
  const byRouter = vault.caller === "router" && (await isRouterDeployed(ctx, vault.chainId));
  return byRouter
    ? { via: "router", address: depositRouterAddress }
    : { via: "user", address: vault.entryPoint };
}

/** As `depositEntry` for showing a vault: a chain that cannot be read counts as one without the Router. */
export async function depositEntryForDisplay(ctx: Context, vault: Vault): Promise<DepositEntry> {
  try {
    return await depositEntry(ctx, vault);
  } catch (error) {
    ctx.log.warn("router_unreadable", { chain_id: vault.chainId, error: describeError(error) });
    return { via: "user", address: vault.entryPoint };
  }
}

/** Every token that a deposit can start from without a swap; native where the Router can wrap it. */
export function acceptedTokens(
  vault: Vault,
  where: { chain: ChainDefinition; entry: DepositEntry },
): Token[] {
  const { chain, entry } = where;
  const tokens = vault.acceptedAssets.some((token) => sameAddress(token.address, vault.asset.address))
    ? [...vault.acceptedAssets]
    : [vault.asset, ...vault.acceptedAssets];
  const wraps = entry.via === "router" && chain.wrappedNative !== null;
  if (wraps && sameAddress(chain.wrappedNative ?? "", vault.asset.address)) {
    tokens.push({ address: zeroAddress, ...chain.native });
  }
  return tokens;
}

/** Why a vault is paused: the registry's reason, or that its own contract refuses deposits. */
export function pauseReason(vault: Vault): string {
  return vault.status === "paused" ? vault.statusReason : "the vault's own contract refuses deposits";
}
