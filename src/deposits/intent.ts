import type { Address, Hex } from "viem";
import type { ChainClient } from "../chains/client.ts";
import { isNative } from "../lib/address.ts";
import type { Token, Vault } from "../vaults/vault.ts";
import type { DepositEntry } from "./entry.ts";

/** A deposit on the vault's own chain, as it is encoded, read back and simulated. Amounts in smallest units. */
export interface Intent {
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
export function paysNative(intent: Intent): boolean {
  return isNative(intent.token.address);
}

/** Whom the user approves. */
export function approvedSpender(intent: Intent): Address {
  return intent.entry.via === "router" ? intent.entry.address : intent.vault.spender;
}
