import { type Address, keccak256, zeroAddress } from "viem";
import * as z from "zod";
import type { ChainDefinition } from "../chains/chain-definitions.ts";
import { readContractCode } from "../chains/code-at-block.ts";
import type { Context } from "../context.ts";
import { failure } from "../errors.ts";
import { sameAddress } from "../lib/address.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../lib/durations.ts";
import { describeError } from "../lib/logger.ts";
import { depositRouterAddress, depositRouterCodeHash } from "../router/router-address.ts";
import type { Token, Vault } from "./vault.ts";

/**
 * The contract that a deposit into a vault calls: the chain's Router, or the vault's own entry point called directly by
 * the user.
 */
export interface DepositEntry {
  /** Who calls the vault: the Router's executor, or the user. */
  via: "router" | "user";
  /** The address of the Router, or of the vault's entry point. */
  address: Address;
}

/**
 * Returns the contract that a deposit into a vault calls: the Router if it is deployed and the vault accepts it as the
 * caller, otherwise the vault's entry point. Throws as `isRouterDeployed` does.
 */
export async function depositEntry(ctx: Context, vault: Vault): Promise<DepositEntry> {
  const byRouter = vault.caller === "router" && (await isRouterDeployed(ctx, vault.chainId));
  return byRouter
    ? { via: "router", address: depositRouterAddress }
    : { via: "user", address: vault.entryPoint };
}

/**
 * Returns the contract that a deposit into a vault calls, for display. If `depositEntry` fails, logs a warning and
 * returns the vault's own entry point. Never throws.
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
 * Returns the tokens that the vault accepts without a swap: its asset and other accepted tokens, then the native
 * currency if deposits go through the Router and the asset is the chain's wrapped native token.
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
 * Returns why a vault that is shown as paused takes no deposits: the reason in its registry entry, which may be empty,
 * or, if the entry is active, that its contract rejects deposits.
 */
export function pauseReason(vault: Vault): string {
  return vault.status === "active" ? "the vault's contract rejects deposits" : vault.statusReason;
}

const RouterDeployment = z.object({ deployed: z.boolean(), at: z.number() });

/**
 * Returns true if the Router is deployed on the chain with exactly the expected bytecode; a cached answer is at most a
 * day old. Throws `chain_unsupported` or errors of the RPC nodes if there is no answer.
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
      const code = await readContractCode(client, depositRouterAddress);
      return { deployed: code !== "0x" && keccak256(code) === depositRouterCodeHash, at: ctx.now() };
    },
  });
  // The Router may have been deployed since.
  if (!value.deployed && ctx.now() - value.at > MINUTE_MS)
    await ctx.cache.drop(`router:${chainId}:${depositRouterCodeHash}`);
  return value.deployed;
}
