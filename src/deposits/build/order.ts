import { type Address, type Hex, keccak256, stringToHex, zeroAddress, zeroHash } from "viem";
import type { ChainClient } from "../../chains/client.ts";
import type { Context } from "../../context.ts";
import { selectDeposit } from "../../db/queries/deposits.ts";
import { failure } from "../../errors.ts";
import { isNative, isNativeAlias, sameAddress } from "../../lib/address.ts";
import type { BuildInput } from "../../schemas/quote.ts";
import { type DepositEntry, depositEntry } from "../../vaults/deposit-entry.ts";
import type { Token, Vault } from "../../vaults/vault.ts";

/** To whom a deposit is attributed. */
interface Attribution {
  partnerId: string;
  /** keccak256 of the partner id's UTF-8 bytes, or zero. */
  partnerHash: Hex;
  partnerType: number;
  /** The partner whose key was used; null when the id is only what the caller says: no dashboard shows that. */
  partnerAddress: string | null;
  /** Whether the key's secret was there too. */
  partnerVerified: boolean;
}

/**
 * Attributes a deposit: to the key's owner where there is a key, else to whom the caller names.
 * Throws `partner_mismatch` when the caller names somebody else than the key's owner, `vault_not_enrolled` for
 * a vault that the owner left out.
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
    throw failure("partner_mismatch", "partner_id is not that of the API key");
  }
  if (partner.vaults !== null && !partner.vaults.includes(vaultId)) {
    throw failure("vault_not_enrolled", `${vaultId} is not among the vaults that the partner enrolled`);
  }
  return {
    partnerId: partner.partnerId,
    partnerHash: partnerHashOf(partner.partnerId),
    partnerType: partner.partnerType,
    partnerAddress: partner.address.toLowerCase(),
    partnerVerified: proof !== "key",
  };
}

/** What of a partner id goes on chain: keccak256 of its UTF-8 bytes, or zero when it is empty. */
export function partnerHashOf(partnerId: string): Hex {
  return partnerId === "" ? zeroHash : keccak256(stringToHex(partnerId));
}

/** A deposit on the vault's own chain, as it is encoded, read back and simulated. Amounts in smallest units. */
export interface DepositIntent {
  client: ChainClient;
  vault: Vault;
  entry: DepositEntry;
  user: Address;
  /** What the user pays with; the zero address for native. */
  token: Token;
  amount: bigint;
  slippage: number;
  /** keccak256 of the tracking id: what the Router emits. */
  ref: Hex;
  /** keccak256 of the partner id, or zero. */
  partnerHash: Hex;
  partnerType: number;
}

/** Whether the user pays in the chain's native token. */
export function paysNative(intent: DepositIntent): boolean {
  return isNative(intent.token.address);
}

/** Whom the user approves. */
export function approvedSpender(intent: DepositIntent): Address {
  return intent.entry.via === "router" ? intent.entry.address : intent.vault.spender;
}

/** A deposit that somebody wants, with everything it names looked up. Amounts in smallest units. */
export interface DepositOrder extends Attribution {
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
export interface DepositOrderInput {
  input: BuildInput;
  vault: Vault;
}

/**
 * Looks up the rest of what a request names. Throws `chain_unsupported`, `partner_mismatch`, `vault_not_enrolled`,
 * `vault_paused`, `vault_not_found`, `deposit_not_found`, and what reading the chain throws.
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

/** What the Router emits for a deposit. */
export const depositRef = (trackingId: string): Hex => keccak256(stringToHex(trackingId));

/** The client of a source chain. Throws `chain_unsupported` for one that the deployment does not serve. */
export function sourceClient(ctx: Context, chainId: number): ChainClient {
  const client = ctx.chains.client(chainId);
  if (client === null) throw failure("chain_unsupported", `chain ${chainId} is not served`);
  return client;
}

/** Throws `vault_paused` for a vault that the registry holds paused. */
export function assertVaultOpen(vault: Vault): void {
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
