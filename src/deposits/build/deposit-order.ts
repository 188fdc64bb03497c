import { type Address, type Hex, keccak256, stringToHex, zeroAddress, zeroHash } from "viem";
import type { ChainClient } from "../../chains/chain-client.ts";
import type { Context } from "../../context.ts";
import { selectDeposit } from "../../db/queries/deposit-queries.ts";
import { failure } from "../../errors.ts";
import { isNative, isNativeAlias, sameAddress } from "../../lib/address.ts";
import type { BuildInput } from "../../schemas/quote-schema.ts";
import type { Token, Vault } from "../../vaults/vault.ts";
import { type DepositEntry, depositEntry } from "../../vaults/vault-entry.ts";

/** The partner a deposit is attributed to. */
interface Attribution {
  partnerId: string;
  /** keccak256 of the partner id's UTF-8 bytes, or zero. */
  partnerHash: Hex;
  partnerType: number;
  /**
   * Address of the partner whose API key was used; null when the partner id is only named by the caller,
   * which no dashboard counts.
   */
  partnerAddress: string | null;
  /** True when the request also carried the key's secret. */
  partnerVerified: boolean;
}

/**
 * Attributes a deposit to the owner of the API key, or without a key to the partner that the caller names.
 * Throws `partner_mismatch` when the caller names a different partner than the key's owner,
 * `vault_not_enrolled` for a vault that the partner has not enrolled.
 */
export function attributeDeposit(
  ctx: Context,
  { input, vaultId }: { input: BuildInput; vaultId: string },
): Attribution {
  const { partner_id: named, partner_type: partnerType } = input;
  if (ctx.actor.kind !== "partner") {
    return {
      partnerId: named,
      partnerHash: partnerHashOf(named),
      partnerType,
      partnerAddress: null,
      partnerVerified: false,
    };
  }
  const { partner, proof } = ctx.actor;
  if (named !== "" && named !== partner.partnerId) {
    throw failure("partner_mismatch", "partner_id does not belong to the API key");
  }
  if (partner.vaults !== null && !partner.vaults.includes(vaultId)) {
    throw failure("vault_not_enrolled", `the partner has not enrolled ${vaultId}`);
  }
  return {
    partnerId: partner.partnerId,
    partnerHash: partnerHashOf(partner.partnerId),
    partnerType: partner.partnerType,
    partnerAddress: partner.address.toLowerCase(),
    partnerVerified: proof !== "key",
  };
}

/** Returns a partner id as it appears on chain: keccak256 of its UTF-8 bytes, or zero when it is empty. */
export function partnerHashOf(partnerId: string): Hex {
  return partnerId === "" ? zeroHash : keccak256(stringToHex(partnerId));
}

/** A deposit on the vault's chain in an accepted token, ready to be encoded. Amounts in smallest units. */
export interface DepositIntent {
  client: ChainClient;
  vault: Vault;
  entry: DepositEntry;
  user: Address;
  /** The token the user pays with; the zero address is native money. */
  token: Token;
  amount: bigint;
  slippage: number;
  /** keccak256 of the tracking id, emitted by the Router. */
  ref: Hex;
  /** keccak256 of the partner id, or zero. */
  partnerHash: Hex;
  partnerType: number;
}

/** Returns true when the user pays with the chain's native token. */
export function paysNative(intent: DepositIntent): boolean {
  return isNative(intent.token.address);
}

/** Returns the contract that needs the user's approval. */
export function approvedSpender(intent: DepositIntent): Address {
  return intent.entry.via === "router" ? intent.entry.address : intent.vault.spender;
}

/** A requested deposit with its vault, chains and partner looked up. Amounts in smallest units. */
export interface DepositOrder extends Attribution {
  /** Source chain and payment. The zero address is the chain's native token. */
  from: { client: ChainClient; chainId: number; token: Address; amount: bigint };
  /** Client of the vault's chain. */
  client: ChainClient;
  vault: Vault;
  entry: DepositEntry;
  user: Address;
  slippage: number;
  preferredBridge: string | null;
  trackingId: string;
  /** keccak256 of the tracking id, emitted by the Router. */
  ref: Hex;
  referrer: Address;
  referrerHandle: string;
  parentTrackingId: string | null;
}

/** A build request and its vault as read from Postgres. */
export interface DepositOrderInput {
  input: BuildInput;
  vault: Vault;
}

/**
 * Resolves a build request into an order: partner, chains, deposit entry and parent deposit. Throws
 * `chain_unsupported`, `partner_mismatch`, `vault_not_enrolled`, `vault_paused`, `vault_not_found`,
 * `deposit_not_found`, and errors of the RPC nodes.
 */
export async function resolveOrder(ctx: Context, { input, vault }: DepositOrderInput): Promise<DepositOrder> {
  const attribution = attributeDeposit(ctx, { input, vaultId: vault.vaultId });
  assertVaultOpen(vault);
  const source = sourceClient(ctx, input.from_chain_id);
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
    ref: depositRef(trackingId),
    ...attribution,
    referrer: input.referrer,
    referrerHandle: input.referrer_handle,
    parentTrackingId: input.parent_tracking_id ?? null,
  };
}

/** Returns the reference that the Router emits for a deposit: keccak256 of the tracking id. */
export const depositRef = (trackingId: string): Hex => keccak256(stringToHex(trackingId));

/** Returns the client of a source chain. Throws `chain_unsupported` when the deployment does not serve it. */
export function sourceClient(ctx: Context, chainId: number): ChainClient {
  const client = ctx.chains.client(chainId);
  if (client === null) throw failure("chain_unsupported", `chain ${chainId} is not served`);
  return client;
}

/** Throws `vault_paused` when the registry has paused the vault. */
export function assertVaultOpen(vault: Vault): void {
  if (vault.status !== "paused") return;
  throw failure("vault_paused", `${vault.name} does not accept deposits now`, { reason: vault.statusReason });
}

async function assertParent(
  ctx: Context,
  parent: { trackingId: string | null; user: Address },
): Promise<void> {
  if (parent.trackingId === null) return;
  const row = await selectDeposit(ctx.db, parent.trackingId);
  if (row === null || !sameAddress(row.userAddress, parent.user)) {
    throw failure("deposit_not_found", "parent_tracking_id is not a deposit of this user");
  }
}
