import { type Address, type Hex, zeroAddress } from "viem";
import type { ChainClient } from "../chains/chain-client.ts";
import { chainNotServed } from "../chains/chain-definitions.ts";
import type { Context } from "../context.ts";
import { selectTracked } from "../db/queries/deposit-queries.ts";
import { failure } from "../errors.ts";
import { isNative, isNativeAlias, sameAddress } from "../lib/address.ts";
import { type AuthorizationWish, asksForSignature } from "../orders/authorization/choose-authorization.ts";
import { type Attribution, attributeOrder, orderRef } from "../orders/order-attribution.ts";
import type { BuildInput } from "../schemas/build-input-schema.ts";
import type { Token, Vault } from "../vaults/vault.ts";
import { type DepositEntry, depositEntry } from "../vaults/vault-deposit-entry.ts";

/**
 * A deposit on the vault's chain in a token that the vault accepts. `amount` is in the token's smallest unit. In the
 * `DirectDeposit` of a move, token and amount are the other vault's shares instead.
 */
export interface DepositIntent {
  client: ChainClient;
  vault: Vault;
  /** The contract that the deposit calls: the Router, or the vault's own entry point. */
  entry: DepositEntry;
  user: Address;
  /** The token that is deposited, by the user or by a provider. The zero address stands for the native currency. */
  token: Token;
  amount: bigint;
  /** Slippage tolerance: maximum total loss, as a fraction (0.005 is 0.5%). */
  slippage: number;
  /** Deposit reference for the Router's event: keccak256 of the tracking id. */
  ref: Hex;
  /** keccak256 of the partner id, or zero if the id is empty. */
  partnerHash: Hex;
  /** Role of the partner: 0 direct, 1 creator, 2 wallet. */
  partnerType: number;
  /** How the user wants to pay; absent if no signature can pay, as where a bridge or a second step deposits. */
  authorize?: AuthorizationWish;
}

/** Returns true if a deposit is made in the chain's native currency. */
export function paysNative(intent: DepositIntent): boolean {
  return isNative(intent.token.address);
}

/**
 * Returns true if the request asks for a signature and the Router takes a token for the deposit. Whether the token and
 * the account support a signature is for `chooseAuthorization` to decide.
 */
export function mayBeSigned(intent: DepositIntent): boolean {
  const { authorize, entry } = intent;
  return (
    authorize !== undefined && asksForSignature(authorize) && entry.via === "router" && !paysNative(intent)
  );
}

/**
 * Returns the contract that takes the user's token and needs an approval for it: the Router, or the vault's own
 * spender. A payment in the native currency needs no approval.
 */
export function approvedSpender(intent: DepositIntent): Address {
  return intent.entry.via === "router" ? intent.entry.address : intent.vault.spender;
}

/**
 * A requested deposit with its vault, chains and partner resolved. `from.amount` is in the paid token's smallest unit.
 */
export interface DepositOrder extends Attribution {
  /** Source chain, token and amount of the user's payment. The zero address stands for the native currency. */
  from: { client: ChainClient; chainId: number; token: Address; amount: bigint };
  /** RPC client of the vault's chain. */
  client: ChainClient;
  vault: Vault;
  /** The contract that the deposit calls: the Router, or the vault's own entry point. */
  entry: DepositEntry;
  user: Address;
  /** Slippage tolerance: maximum total loss, as a fraction (0.005 is 0.5%). */
  slippage: number;
  /** Bridge to try before all others, or null. */
  preferredBridge: string | null;
  trackingId: string;
  /** Deposit reference for the Router's event: keccak256 of the tracking id. */
  ref: Hex;
  /** Referrer of the deposit; the zero address if there is none. Only recorded. */
  referrer: Address;
  /** Free text of the caller about the referrer. Only recorded. */
  referrerHandle: string;
  /** Earlier deposit or withdrawal of the same user that this deposit belongs to, or null. */
  parentTrackingId: string | null;
  /** How the user wants to pay, and the account that submits the transaction. */
  authorize: AuthorizationWish;
}

/** A build request and its vault. */
export interface DepositOrderInput {
  input: BuildInput;
  vault: Vault;
}

/**
 * Resolves a build request into an order with a new tracking id; writes nothing. Throws `deposit_not_found` if the
 * named parent is no deposit or withdrawal of this user, `vault_paused`, `chain_unsupported`, `vault_not_found`,
 * `store_unavailable`; errors of `attributeOrder` and `depositEntry` propagate.
 */
export async function resolveOrder(ctx: Context, { input, vault }: DepositOrderInput): Promise<DepositOrder> {
  const attribution = attributeOrder(ctx, { input, vaultId: vault.vaultId });
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
    ref: orderRef(trackingId),
    ...attribution,
    referrer: input.referrer,
    referrerHandle: input.referrer_handle,
    parentTrackingId: input.parent_tracking_id ?? null,
    authorize: { way: input.authorize ?? "approve", submitter: input.submitter ?? input.user_address },
  };
}

/** Returns the RPC client of a source chain. Throws `chain_unsupported` if this deployment does not serve the chain. */
export function sourceClient(ctx: Context, chainId: number): ChainClient {
  const client = ctx.chains.client(chainId);
  if (client === null) throw chainNotServed(chainId, ctx.chains.definitions);
  return client;
}

/**
 * Throws `vault_paused`, with the registry's reason, unless the vault's status in the registry is `active`. Does not
 * read the vault's contracts.
 */
export function assertVaultOpen(vault: Vault): void {
  if (vault.status === "active") return;
  throw failure("vault_paused", `${vault.name} does not accept deposits now`, { reason: vault.statusReason });
}

async function assertParent(
  ctx: Context,
  parent: { trackingId: string | null; user: Address },
): Promise<void> {
  if (parent.trackingId === null) return;
  const row = await selectTracked(ctx.db, parent.trackingId);
  if (row === null || !sameAddress(row.userAddress, parent.user)) {
    throw failure("deposit_not_found", "parent_tracking_id is not a deposit or withdrawal of this user");
  }
}
