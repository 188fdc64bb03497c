import { type Address, type Hex, keccak256, stringToHex, zeroAddress } from "viem";
import type { ChainClient } from "../chains/client.ts";
import type { Context } from "../context.ts";
import { selectDeposit } from "../db/queries/deposits.ts";
import { failure } from "../errors.ts";
import { isNativeAlias, sameAddress } from "../lib/address.ts";
import type { BuildInput } from "../schemas/quote.ts";
import type { Vault } from "../vaults/vault.ts";
import { type Attribution, attribute } from "./attribution.ts";
import { type DepositEntry, depositEntry } from "./entry.ts";

/** A deposit that somebody wants, with everything it names looked up. Amounts in smallest units. */
export interface Order extends Attribution {
  /** Where the money is: the zero address is the chain's native token. */
  from: { client: ChainClient; chainId: number; token: Address; amount: bigint };
  /** The vault's chain. */
  client: ChainClient;
  vault: Vault;
  entry: DepositEntry;
  user: Address;
  slippage: number;
  preferredBridge: string | null;
  trackingId: string;
  /** keccak256 of the tracking id: what the Router emits. */
  ref: Hex;
  referrer: Address;
  referrerHandle: string;
  parentTrackingId: string | null;
}

/** A request with the vault it names, which the caller took from Postgres. */
export interface OrderInput {
  input: BuildInput;
  vault: Vault;
}

/**
 * Looks up the rest of what a request names. Throws `chain_unsupported`, `partner_mismatch`, `vault_not_enrolled`,
 * `vault_paused`, `vault_not_found`, `deposit_not_found`, and what reading the chain throws.
 */
export async function resolveOrder(ctx: Context, { input, vault }: OrderInput): Promise<Order> {
  const attribution = attribute(ctx, { input, vaultId: vault.vaultId });
  assertOpen(vault);
  const source = sourceChain(ctx, input.from_chain_id);
  const client = ctx.chains.client(vault.chainId);
  if (client === null) throw failure("vault_not_found", `there is no vault ${vault.vaultId}`);
  const [entry] = await Promise.all([
    depositEntry(ctx, vault),
    assertParent(ctx, { trackingId: input.parent_tracking_id ?? null, user: input.user_address }),
  ]);
  const trackingId = `trk_${ctx.randomId()}`;
  return {
    from: {
      client: source,
      chainId: input.from_chain_id,
      token: isNativeAlias(input.from_token) ? zeroAddress : input.from_token,
      amount: input.from_amount,
    },
    client,
    vault,
    entry,
    user: input.user_address,
    slippage: input.slippage,
    preferredBridge: input.preferred_bridge ?? null,
    trackingId,
    ref: refOf(trackingId),
    ...attribution,
    referrer: input.referrer,
    referrerHandle: input.referrer_handle,
    parentTrackingId: input.parent_tracking_id ?? null,
  };
}

/** What the Router emits for a deposit. */
export const refOf = (trackingId: string): Hex => keccak256(stringToHex(trackingId));

/** The client of a source chain. Throws `chain_unsupported` for one that the deployment does not serve. */
export function sourceChain(ctx: Context, chainId: number): ChainClient {
  const client = ctx.chains.client(chainId);
  if (client === null) throw failure("chain_unsupported", `chain ${chainId} is not served`);
  return client;
}

/** Throws `vault_paused` for a vault that the registry holds paused. */
export function assertOpen(vault: Vault): void {
  if (vault.status !== "paused") return;
  throw failure("vault_paused", `${vault.name} does not take deposits now`, { reason: vault.statusReason });
}

async function assertParent(
  ctx: Context,
  parent: { trackingId: string | null; user: Address },
): Promise<void> {
  if (parent.trackingId === null) return;
  const row = await selectDeposit(ctx.db, parent.trackingId);
  if (row === null || !sameAddress(row.userAddress, parent.user)) {
    throw failure("deposit_not_found", "parent_tracking_id is no deposit of this user");
  }
}
