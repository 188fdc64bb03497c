import { type Address, type Hex, isAddressEqual, keccak256, stringToHex, zeroAddress } from "viem";
import type { ChainClient } from "../chains/client.ts";
import type { Context } from "../context.ts";
import { selectDeposit } from "../db/queries/deposits.ts";
import { failure } from "../errors.ts";
import { isNativeAlias, sameAddress } from "../lib/address.ts";
import type { BuildInput } from "../schemas/quote.ts";
import type { Token, Vault } from "../vaults/vault.ts";
import { type Attribution, attribute } from "./attribution.ts";
import { type DepositEntry, depositEntry } from "./entry.ts";
import { acceptedTokens } from "./vault-wire.ts";

/** A deposit that somebody wants, with everything it names looked up. Amounts in smallest units. */
export interface Intent extends Attribution {
  client: ChainClient;
  vault: Vault;
  entry: DepositEntry;
  user: Address;
  /** What the user pays with; the zero address for native. */
  token: Token;
  amount: bigint;
  slippage: number;
  trackingId: string;
  /** keccak256 of the tracking id: what the Router emits. */
  ref: Hex;
  referrer: Address;
  referrerHandle: string;
  parentTrackingId: string | null;
}

/** A request with the vault it names, which the caller took from Postgres. */
export interface IntentInput {
  input: BuildInput;
  vault: Vault;
}

/**
 * Looks up the rest of what a request names. Throws `vault_paused`, `no_route`, `deposit_not_found`, and what
 * reading the chain throws.
 */
export async function resolveIntent(ctx: Context, { input, vault }: IntentInput): Promise<Intent> {
  const attribution = attribute(ctx, { input, vaultId: vault.vaultId });
  if (vault.status === "paused") {
    throw failure("vault_paused", `${vault.name} does not take deposits now`, { reason: vault.statusReason });
  }
  const client = ctx.chains.client(vault.chainId);
  if (client === null) throw failure("vault_not_found", `there is no vault ${vault.vaultId}`);
  const [entry] = await Promise.all([
    depositEntry(ctx, vault),
    assertParent(ctx, { trackingId: input.parent_tracking_id ?? null, user: input.user_address }),
  ]);
  const trackingId = `trk_${ctx.randomId()}`;
  return {
    client,
    vault,
    entry,
    token: directToken(input, { client, vault, entry }),
    user: input.user_address,
    amount: input.from_amount,
    slippage: input.slippage,
    trackingId,
    ref: keccak256(stringToHex(trackingId)),
    ...attribution,
    referrer: input.referrer,
    referrerHandle: input.referrer_handle,
    parentTrackingId: input.parent_tracking_id ?? null,
  };
}

/** Throws `chain_unsupported` for a source chain that the deployment does not serve. */
export function assertSourceChain(ctx: Context, chainId: number): void {
  if (!ctx.chains.definitions.has(chainId)) {
    throw failure("chain_unsupported", `chain ${chainId} is not served`);
  }
}

/** The token the vault takes as it is. Throws `no_route` when it would have to be swapped or bridged. */
function directToken(input: BuildInput, target: Pick<Intent, "client" | "vault" | "entry">): Token {
  const { client, vault, entry } = target;
  const refuse = (code: string, detail: string) =>
    failure("no_route", detail, { reasons: [{ code, detail }] });
  if (input.from_chain_id !== vault.chainId) {
    throw refuse(
      "bridge_unavailable",
      `no bridge is set up from chain ${input.from_chain_id} to ${vault.chainId}`,
    );
  }
  const wanted = isNativeAlias(input.from_token) ? zeroAddress : input.from_token;
  const accepted = acceptedTokens(vault, { chain: client.definition, entry });
  const token = accepted.find((candidate) => sameAddress(candidate.address, wanted));
  if (token === undefined)
    throw refuse("swap_unavailable", "the vault does not take this token, and no swap is set up");
  return token;
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

/** Whether the user pays in the chain's native token. */
export function paysNative(intent: Intent): boolean {
  return isAddressEqual(intent.token.address, zeroAddress);
}

/** Whom the user approves. */
export function approvedSpender(intent: Intent): Address {
  return intent.entry.via === "router" ? intent.entry.address : intent.vault.spender;
}
