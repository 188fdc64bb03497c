import { type Address, zeroAddress } from "viem";
import type { ChainDefinition } from "../chains/definitions.ts";
import type { Context } from "../context.ts";
import { sameAddress } from "../lib/address.ts";
import { describeError } from "../lib/logger.ts";
import { depositRouterAddress } from "../router/address.ts";
import { isRouterDeployed } from "./router-deployment.ts";
import type { Token, Vault } from "./vault.ts";

/**
 * The contract that a deposit into a vault calls: the chain's Router, or the vault's own entry point called
 * by the user.
 */
export interface DepositEntry {
  via: "router" | "user";
  address: Address;
}

/**
 * Returns the contract that deposits into a vault call. A vault that requires the user as caller never goes
 * through the Router. Throws errors of the RPC nodes when the Router's code was never read.
 */
export async function depositEntry(ctx: Context, vault: Vault): Promise<DepositEntry> {
  const byRouter = vault.caller === "router" && (await isRouterDeployed(ctx, vault.chainId));
  return byRouter
    ? { via: "router", address: depositRouterAddress }
    : { via: "user", address: vault.entryPoint };
}

/**
 * Returns the deposit entry for display: a chain that cannot be read counts as a chain without the Router.
 */
export async function depositEntryForDisplay(ctx: Context, vault: Vault): Promise<DepositEntry> {
  try {
    return await depositEntry(ctx, vault);
  } catch (error) {
    ctx.log.warn("router_unreadable", { chain_id: vault.chainId, error: describeError(error) });
    return { via: "user", address: vault.entryPoint };
  }
}

/**
 * Returns every token that the vault accepts without a swap; includes native money when the Router can wrap
 * it into the asset.
 */
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

/**
 * Returns why a vault is paused: the registry's reason, or that the vault's own contract refuses deposits.
 */
export function pauseReason(vault: Vault): string {
  return vault.status === "paused" ? vault.statusReason : "the vault's own contract refuses deposits";
}
