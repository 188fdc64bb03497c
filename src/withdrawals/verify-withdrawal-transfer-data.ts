import { type Address, type Hex, isAddressEqual } from "viem";
import type { ChainDefinition } from "../chains/chain-definitions.ts";
import { isNative } from "../lib/address.ts";
import { readTransferCall } from "../providers/read-provider-call.ts";
import { requireSame } from "./verify-withdrawal.ts";

/**
 * The transfer that a provider's calldata must encode: the user (receiver and refund address), both chains, paid token
 * and amount, requested token and minimum delivery.
 */
export interface ExpectedTransferData {
  user: Address;
  from: ChainDefinition;
  to: ChainDefinition;
  /** Paid token and amount, in its smallest unit; the zero address is the native currency. */
  token: Address;
  amount: bigint;
  /** Requested token; the zero address is the native currency. */
  requested: Address;
  /** Minimum delivery, in the smallest unit of the requested token. */
  least: bigint;
}

/**
 * Decodes a provider's calldata and compares it with the request. Requested token, minimum and refund address are
 * compared only if `readTransferCall` returns them. Throws `upstream_rejected` with the first field that differs.
 */
export function verifyTransferData(asked: ExpectedTransferData, data: Hex): void {
  const { user, from, to, amount, least } = asked;
  const bridged = from.chainId !== to.chainId;
  const read = readTransferCall(data);
  requireSame(read !== null, "transfer data");
  requireSame(namesToken(read.fromToken, { token: asked.token, chain: from, bridged }), "transfer token");
  requireSame(read.amount === amount, "transfer amount");
  requireSame(isAddressEqual(read.receiver, user), "transfer receiver");
  requireSame(read.refundTo === null || isAddressEqual(read.refundTo, user), "transfer refund");
  requireSame(read.toChainId === (bridged ? to.chainId : null), "transfer chain");
  const named =
    read.toToken === null || namesToken(read.toToken, { token: asked.requested, chain: to, bridged });
  requireSame(named, "transfer toToken");
  requireSame(read.minDelivery === null || (least > 0n && read.minDelivery >= least), "transfer minimum");
}

/**
 * Returns true if the address is the token's. Bridges name the native currency by its wrapped token, which then also
 * counts.
 */
function namesToken(
  address: Address,
  of: { token: Address; chain: ChainDefinition; bridged: boolean },
): boolean {
  const { token, chain, bridged } = of;
  if (isAddressEqual(address, token)) return true;
  const { wrappedNative } = chain;
  return bridged && isNative(token) && wrappedNative !== null && isAddressEqual(address, wrappedNative);
}
