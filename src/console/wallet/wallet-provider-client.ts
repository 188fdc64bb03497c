import { createWalletClient, custom, type EIP1193Provider, erc20Abi, zeroAddress } from "viem";
import { getBalance, readContract, signMessage } from "viem/actions";
import { toWalletError } from "../../client/client-wallet-errors.ts";
import type { Wallet } from "../../client/client-wallet-steps.ts";

/** Interval at which the client polls the wallet's RPC node for a receipt, in milliseconds. */
const POLLING_MS = 1_500;

/** Creates a viem client that sends all requests to the wallet's provider (EIP-1193), on the wallet's current chain. */
export const clientOfProvider = (provider: EIP1193Provider): Wallet =>
  createWalletClient({ transport: custom(provider), pollingInterval: POLLING_MS });

/**
 * Reads an account's balance of a token (the zero address is the native currency) on the wallet's chain, in the
 * smallest unit. Errors of the wallet propagate.
 */
export function readBalance(
  client: Wallet,
  { token, owner }: { token: `0x${string}`; owner: `0x${string}` },
): Promise<bigint> {
  if (token === zeroAddress) return getBalance(client, { address: owner });
  return readContract(client, { address: token, abi: erc20Abi, functionName: "balanceOf", args: [owner] });
}

/**
 * Signs a text with an account of the wallet (EIP-191). Throws CausewayError `user_rejected`, `wrong_account` or
 * `wallet_failed`.
 */
export function signText(
  client: Wallet,
  { address, message }: { address: `0x${string}`; message: string },
): Promise<`0x${string}`> {
  return signMessage(client, { account: address, message }).catch((error: unknown) => {
    throw toWalletError(error, "wallet_failed");
  });
}
