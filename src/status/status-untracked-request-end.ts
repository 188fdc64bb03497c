import { type Address, isAddressEqual } from "viem";
import type { Receipt, Transaction } from "../chains/chain-transaction.ts";
import { smaller } from "../lib/amount.ts";
import { paysNothing } from "../tracking/withdrawals/withdrawal-settlements.ts";
import { adapterOf, asyncDepositsOf } from "../vaults/families/vault-families.ts";
import type { Vault } from "../vaults/vault.ts";
import { type ExitSettlement, paidTo, unknownPendingExit } from "../vaults/vault-exits.ts";
import { accountsOf, involvedVaults, isVault } from "./status-untracked-deposit.ts";

/**
 * What the end of a request brought its account. `paid`: the vault's asset for a redemption; `unpaid`: nothing, although
 * the vault took its shares; `cancelled`: its shares; `refunded`: the asset of a cancelled deposit.
 */
export interface ShownRequestEnd {
  outcome: "paid" | "unpaid" | "cancelled" | "refunded";
  /** In the smallest unit of `token`; null if the shares of a cancelled request had stayed with its account. */
  received: bigint | null;
  token: Address;
}

interface ShownIn {
  vaults: readonly Vault[];
  transaction: Transaction;
  receipt: Receipt;
}

/**
 * Finds in a successful receipt the claim or cancellation of an unknown request of one of the transaction's accounts,
 * where no withdrawal event shows it. Null if there is none, if what the vault's events name did not reach the account,
 * or if only the request's id would show it. Pure.
 */
export function findShownRequestEnd(shown: ShownIn): ShownRequestEnd | null {
  const involved = involvedVaults(shown);
  const accounts = accountsOf(shown, involved).filter((account) => !isVault(account, shown.vaults));
  const pairs = involved.flatMap((vault) => accounts.map((account): At => ({ ...shown, vault, account })));
  // A batch may claim several requests.
  for (const find of [broughtBy, unpaidBy]) {
    for (const at of pairs) {
      const end = find(at);
      if (end !== null) return end;
    }
  }
  return null;
}

type At = ShownIn & { vault: Vault; account: Address };

function broughtBy(at: At): ShownRequestEnd | null {
  const end = redemptionEnd(at) ?? refund(at);
  return (end === null ? null : arrivedBy(end, at)) ?? cancellation(at);
}

/** Returns the end of the account's redemption for which the vault's own events show that it paid nothing. */
function unpaidBy(at: At): ShownRequestEnd | null {
  const end = settlementIn(at);
  if (end === null || end.announced === true || !paysNothing(end)) return null;
  return { outcome: "unpaid", received: 0n, token: at.vault.asset.address };
}

/** The end of a request; amounts are null or absent if the receipt's events do not tell them. */
type RequestEnd = Pick<ExitSettlement, "assets" | "shares"> & {
  outcome: ExitSettlement["outcome"] | "refunded";
};

const redemptionEnd = (at: At): RequestEnd | null =>
  settlementIn(at) ?? (claimsCooldown(at) ? { outcome: "paid", assets: null } : null);

/** Returns the end of the account's deposit request, if the vault's events show that it was cancelled and paid back. */
function refund({ vault, account: user, receipt: { logs } }: At): RequestEnd | null {
  const seen = { user, requestId: null, logs };
  const isRefund = asyncDepositsOf(vault)?.findCancellation?.(vault, seen) === true;
  return isRefund ? { outcome: "refunded", assets: null } : null;
}

/**
 * Returns the cancellation of one of the account's requests that the family's events show without the request's id; null
 * if there is none.
 */
function cancellation(at: At): ShownRequestEnd | null {
  const { vault, account: user, receipt } = at;
  const shares = adapterOf(vault).exits?.findCancellation?.(vault, { user, logs: receipt.logs }) ?? null;
  if (shares === "kept") return { outcome: "cancelled", received: null, token: vault.shareToken };
  return shares === null ? null : arrivedBy({ outcome: "cancelled", assets: null }, at);
}

/** Returns the end of the account's redemption by the family's events, where these do not depend on the request. */
const settlementIn = ({ vault, account: user, receipt }: At): ExitSettlement | null =>
  adapterOf(vault).exits?.findSettlement?.(vault, {
    ...{ user, requestId: unknownPendingExit.requestId, logs: receipt.logs, requestLogs: [] },
  }) ?? null;

/** Returns true if the account itself sent the call that claims its cooldown, such as sUSDe's, which emits no event. */
function claimsCooldown({ vault, account: user, transaction: { from, to, input } }: At): boolean {
  const { exits } = adapterOf(vault);
  if (to === null || !isAddressEqual(from, user) || exits?.modes(vault).includes("cooldown") !== true)
    return false;
  const ready = { mode: "cooldown", state: "claimable", token: vault.asset.address } as const;
  const call = exits.claim?.(vault, { user, request: { ...unknownPendingExit, ...ready } }) ?? null;
  return call !== null && isAddressEqual(call.target, to) && call.data === input;
}

/** Returns what reached the account, and no more than the vault's events say. Null if nothing did. */
function arrivedBy(
  { outcome, assets, shares }: RequestEnd,
  { vault, account: receiver, receipt }: At,
): ShownRequestEnd | null {
  if (outcome === "rejected") return null;
  const [token, said] =
    outcome === "cancelled" ? [vault.shareToken, shares ?? null] : [vault.asset.address, assets];
  const parts = paidTo(receipt.logs, { token, receiver });
  // Of several, one may be the output of a swap in the same batch.
  if (said === null && parts.length > 1) return null;
  const received = smaller(sumOf(parts), said) ?? 0n;
  return received === 0n ? null : { outcome, received, token };
}

const sumOf = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, amount) => sum + amount, 0n);
