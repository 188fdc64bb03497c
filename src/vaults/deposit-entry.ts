import type { Address } from "viem";
import type { Context } from "../context.ts";
import { describeError } from "../lib/logger.ts";
import { depositRouterAddress } from "../router/address.ts";
import { isRouterDeployed } from "./router-deployment.ts";
import type { Vault } from "./vault.ts";

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
