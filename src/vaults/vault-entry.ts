import { type Address, keccak256, zeroAddress } from "viem";
import * as z from "zod";
import type { ChainDefinition } from "../chains/chain-definitions.ts";
import { RpcData } from "../chains/rpc-values.ts";
import type { Context } from "../context.ts";
import { failure } from "../errors.ts";
import { sameAddress } from "../lib/address.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../lib/durations.ts";
import { describeError } from "../lib/logger.ts";
import { depositRouterAddress, depositRouterCodeHash } from "../router/router-address.ts";
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

const RouterDeployment = z.object({ deployed: z.boolean(), at: z.number() });

/**
 * Returns true when the chain has our Router's exact bytecode. A true is cached for a day, a false for a
 * minute because the Router may be deployed meanwhile. Throws `chain_unsupported` and errors of the RPC
 * nodes.
 */
export async function isRouterDeployed(ctx: Context, chainId: number): Promise<boolean> {
  const { value } = await ctx.cache.cached({
    key: `router:${chainId}:${depositRouterCodeHash}`,
    schema: RouterDeployment,
    freshMs: HOUR_MS,
    staleMs: DAY_MS,
    keepMs: DAY_MS,
    load: async () => {
      const client = ctx.chains.client(chainId);
      if (client === null) throw failure("chain_unsupported", `chain ${chainId} is not served`);
      const params = [depositRouterAddress, "latest"];
      const code = await client.ask({
        method: "eth_getCode",
        params,
        read: (told) => RpcData.parse(told),
      });
      return { deployed: code !== "0x" && keccak256(code) === depositRouterCodeHash, at: ctx.now() };
    },
  });
  if (!value.deployed && ctx.now() - value.at > MINUTE_MS)
    await ctx.cache.drop(`router:${chainId}:${depositRouterCodeHash}`);
  return value.deployed;
}
