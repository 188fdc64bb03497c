import { type Address, getAddress, isAddressEqual } from "viem";
import type { Receipt, Transaction } from "../chains/chain-transaction.ts";
import { executedOrders, routerBridgeOutput } from "../router/router-codec.ts";
import { paymentTo, withdrawalsIn } from "../tracking/withdrawals/withdrawal-proofs.ts";
import { adapterOf } from "../vaults/families/vault-families.ts";
import type { Vault } from "../vaults/vault.ts";
import { paidTo } from "../vaults/vault-exits.ts";
import { accountsOf } from "./status-untracked-deposit.ts";

/**
 * A withdrawal from a vault of the registry, as a receipt shows it. Amounts are in the token's smallest unit, and null
 * if the receipt does not show them.
 */
export interface ShownWithdrawal {
  vault: Vault;
  /**
   * `paid`: the vault paid, possibly to another account. `request`: the vault may pay later. `cooldown`: the same after
   * a cooldown. `bridged`: the payment went into a bridge.
   */
  kind: "paid" | "request" | "cooldown" | "bridged";
  /** Shares that were redeemed or requested. */
  shares: bigint | null;
  /**
   * Amount and token that a Router order paid to its receiver, or the vault to the account of its event; both are null
   * unless `kind` is `paid` and the receipt shows them.
   */
  received: bigint | null;
  receivedToken: Address | null;
  /** The request, or null unless `kind` is `request` or `cooldown`. */
  request: ShownRedemption | null;
}

/** A redemption request, as a receipt shows it. Amounts are in the smallest unit of `token`, which the vault pays. */
export interface ShownRedemption {
  mode: "request" | "cooldown";
  account: Address;
  /** Null if the receipt shows no id. */
  requestId: string | null;
  token: Address;
  /** Amount that the vault paid at once, and what it promised in all; null if unknown or if it pays a request later. */
  paid: bigint;
  promised: bigint | null;
}

interface ShownIn {
  vaults: readonly Vault[];
  transaction: Transaction;
  receipt: Receipt;
}

/**
 * Finds a withdrawal from a vault of the registry in a successful receipt: a Router order paid with shares, otherwise
 * an event of the vault's family for one of the transaction's accounts. Null if there is none. Pure.
 */
export function findShownWithdrawal(shown: ShownIn): ShownWithdrawal | null {
  return findRouterRedemption(shown) ?? findVaultWithdrawal(shown);
}

function findRouterRedemption({ vaults, receipt }: ShownIn): ShownWithdrawal | null {
  for (const { args } of executedOrders(receipt.logs)) {
    const { tokenIn, tokenOut, amountIn: shares, amountOut } = args;
    const vault = vaults.find(({ shareToken }) => isAddressEqual(shareToken, tokenIn));
    if (vault === undefined || amountOut === 0n) continue;
    return isAddressEqual(tokenOut, routerBridgeOutput)
      ? { vault, kind: "bridged", shares, received: null, receivedToken: null, request: null }
      : { vault, kind: "paid", shares, received: amountOut, receivedToken: tokenOut, request: null };
  }
  return null;
}

function findVaultWithdrawal({ vaults, transaction, receipt }: ShownIn): ShownWithdrawal | null {
  const accounts = accountsOf({ transaction, receipt });
  for (const vault of vaults) {
    for (const account of accounts) {
      const found = requestIn(receipt, { vault, account }) ?? paymentIn(receipt, { vault, account });
      if (found !== null) return found;
    }
  }
  return null;
}

interface AtVault {
  vault: Vault;
  account: Address;
}

function requestIn(receipt: Receipt, { vault, account }: AtVault): ShownWithdrawal | null {
  const { exits } = adapterOf(vault);
  const seen = exits?.findRequest?.(vault, { user: account, logs: receipt.logs }) ?? null;
  if (exits === undefined || seen === null) return null;
  const only = exits.modes(vault).includes("cooldown") ? "cooldown" : "request";
  const { requestId, shares, mode = only } = seen;
  const token = seen.token ?? (exits.tokens(vault, mode)[0] ?? vault.asset).address;
  // Other vaults pay an earlier request in the transaction of the next one.
  const split = exits.redeemQueues === true ? flowOf(receipt, { vault, account }) : undefined;
  const parts = split === undefined ? [] : paidTo(receipt.logs, { token, receiver: account });
  const paid = parts.reduce((sum, part) => sum + part, 0n);
  const request = { mode, account, requestId, token, paid, promised: split?.assets ?? null };
  return { vault, kind: mode, shares, received: null, receivedToken: null, request };
}

/**
 * Returns the withdrawal of an account that a vault's event reports. The received amount is null if it is unknown or if
 * neither the vault's asset nor exactly one of its other exit tokens reached the account. Null if there is no event.
 */
function paymentIn(receipt: Receipt, { vault, account }: AtVault): ShownWithdrawal | null {
  const flow = flowOf(receipt, { vault, account });
  if (flow === undefined) return null;
  const isAsset = (token: Address) => isAddressEqual(token, vault.asset.address);
  const arrived = exitTokens(vault)
    .map((token) => {
      const stated = isAsset(token) ? flow.assets : null;
      return { token, amount: paymentTo(receipt.logs, { token, user: account, stated }) };
    })
    .filter(({ amount }) => amount !== 0n);
  const inAsset = arrived.find(({ token }) => isAsset(token));
  const paid = inAsset ?? (arrived.length === 1 ? arrived[0] : undefined);
  const received = paid?.amount ?? null;
  const receivedToken = received === null ? null : (paid?.token ?? null);
  return { vault, kind: "paid", shares: flow.shares, received, receivedToken, request: null };
}

/** Returns the account's withdrawal that a vault's event reports. */
const flowOf = (receipt: Receipt, { vault, account }: AtVault) =>
  withdrawalsIn(receipt, vault).find(({ user }) => isAddressEqual(user, account));

/** Returns the vault's asset and the other tokens that it may pay in any mode. */
function exitTokens(vault: Vault): Address[] {
  const { exits } = adapterOf(vault);
  const modes = exits?.modes(vault) ?? [];
  const tokens = modes.flatMap((mode) => exits?.tokens(vault, mode) ?? []);
  return [...new Set([vault.asset, ...tokens].map(({ address }) => getAddress(address)))];
}
