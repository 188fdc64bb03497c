import { type Address, type Hex, zeroAddress } from "viem";
import type { ChainClient } from "../chains/chain-client.ts";
import { unservedChain } from "../chains/chain-definitions.ts";
import type { Context } from "../context.ts";
import { failure } from "../errors.ts";
import { isNative, isNativeAlias, sameAddress } from "../lib/address.ts";
import { chooseAuthorization } from "../orders/authorization/choose-authorization.ts";
import { type Attribution, attributeOrder, orderRef } from "../orders/order-attribution.ts";
import type { WithdrawInput } from "../schemas/withdraw-build-schema.ts";
import type { Token, Vault } from "../vaults/vault.ts";
import { isRouterDeployed } from "../vaults/vault-entry.ts";
import type { ExitMode, VaultExits } from "../vaults/vault-exits.ts";
import { adapterOf } from "../vaults/vault-families.ts";

/** Slippage of a withdrawal that names none: in a token that the vault pays itself, and in any other. */
const DEFAULT_SLIPPAGE = { same: 0.005, other: 0.03 } as const;

/** A requested withdrawal with everything that it names resolved: vault, chains, token and partner. */
export interface WithdrawalOrder extends Attribution {
  /** RPC client of the vault's chain. */
  client: ChainClient;
  vault: Vault;
  exits: VaultExits;
  user: Address;
  /** Shares to redeem, in the share token's smallest unit, or `all` for whatever the user holds. */
  shares: bigint | "all";
  /** What the user wants, and on which chain. The zero address stands for the native currency. */
  to: { client: ChainClient; chainId: number; token: Address };
  slippage: number;
  mode: WithdrawInput["mode"];
  preferredBridge: string | null;
  /** True if the Router is deployed on the vault's chain. */
  routed: boolean;
  trackingId: string;
  /** Reference that the Router emits: keccak256 of the tracking id. */
  ref: Hex;
}

/**
 * Resolves a request to withdraw. The vault may be paused or closed: only its deposits are. Throws `chain_unsupported`,
 * `vault_not_found`, `authorization_unsupported`, `mode_unsupported`, `token_unsupported`, `partner_mismatch`, `vault_not_enrolled`,
 * `key_forbidden`. Errors of the RPC nodes propagate.
 */
export async function resolveWithdrawal(
  ctx: Context,
  { input, vault }: { input: WithdrawInput; vault: Vault },
): Promise<WithdrawalOrder> {
  const attribution = attributeOrder(ctx, { input, vaultId: vault.vaultId });
  const owner = input.user_address;
  const wish = { way: input.authorize ?? "approve", submitter: input.submitter ?? owner };
  // Shares are paid by approval: no signature of their tokens is known.
  chooseAuthorization({ wish, owner, amount: 1n, allowance: null, facts: null });
  const client = ctx.chains.client(vault.chainId);
  if (client === null) throw failure("vault_not_found", `there is no vault ${vault.vaultId}`);
  const exits = exitsOf(vault);
  const to = targetOf(ctx, { input, vault });
  const modes = exits.modes(vault).filter((mode) => isWanted(mode, input.mode));
  if (modes.length === 0)
    throw failure("mode_unsupported", `${vault.name} does not pay withdrawals in the requested mode`);
  const paysItself = modes.some((mode) => exitTokenFor({ exits, vault, mode, to }).pays);
  const trackingId = `trk_${ctx.randomId()}`;
  return {
    ...attribution,
    client,
    vault,
    exits,
    user: input.user_address,
    shares: input.shares,
    to,
    slippage: input.slippage ?? (paysItself ? DEFAULT_SLIPPAGE.same : DEFAULT_SLIPPAGE.other),
    mode: input.mode,
    preferredBridge: input.preferred_bridge ?? null,
    routed: await isRouterDeployed(ctx, vault.chainId),
    trackingId,
    ref: orderRef(trackingId),
  };
}

/** Returns a vault's way out. Throws `mode_unsupported` if none is known for its family. */
export function exitsOf(vault: Vault): VaultExits {
  const { exits } = adapterOf(vault);
  if (exits === undefined || exits.modes(vault).length === 0)
    throw failure("mode_unsupported", `withdrawals from ${vault.name} are not supported by this service`);
  return exits;
}

/** Returns true if a mode of a vault is one that the caller asks for; `request` covers cooldowns. */
export function isWanted(mode: ExitMode, asked: WithdrawInput["mode"]): boolean {
  return asked === "auto" || (asked === "instant") === (mode === "instant");
}

function targetOf(
  ctx: Context,
  { input, vault }: { input: WithdrawInput; vault: Vault },
): WithdrawalOrder["to"] {
  const chainId = input.to_chain_id ?? vault.chainId;
  const client = ctx.chains.client(chainId);
  if (client === null) throw unservedChain(chainId, ctx.chains.definitions);
  const named = input.to_token ?? (chainId === vault.chainId ? vault.asset.address : null);
  if (named === null)
    throw failure("token_unsupported", "to_token is required if to_chain_id is not the vault's chain");
  const token = isNativeAlias(named) ? zeroAddress : named;
  if (chainId === vault.chainId && sameAddress(token, vault.shareToken))
    throw failure("token_unsupported", "to_token is the vault's own share token");
  return { client, chainId, token };
}

/** The token that a vault is asked to pay in a mode, and whether it is what the user wants in the end. */
export interface ExitToken {
  token: Token;
  /** True if no swap or bridge follows; the native currency is unwrapped from its wrapped form. */
  pays: boolean;
}

/**
 * Returns the token to ask the vault for: the one that the user wants if the vault pays it, or its wrapped form for the
 * native currency, else the first.
 */
export function exitTokenFor(of: {
  exits: VaultExits;
  vault: Vault;
  mode: ExitMode;
  to: WithdrawalOrder["to"];
}): ExitToken {
  const { exits, vault, mode, to } = of;
  const tokens = exits.tokens(vault, mode);
  const here = to.chainId === vault.chainId;
  const exact = tokens.find(({ address }) => here && sameAddress(address, to.token));
  if (exact !== undefined) return { token: exact, pays: true };
  const { wrappedNative } = to.client.definition;
  const unwraps = here && isNative(to.token) && wrappedNative !== null && mode === "instant";
  const wrapped = tokens.find(({ address }) => unwraps && sameAddress(address, wrappedNative));
  if (wrapped !== undefined && exits.viaRouter(vault, mode)) return { token: wrapped, pays: true };
  return { token: tokens[0] ?? vault.asset, pays: false };
}
