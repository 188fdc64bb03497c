import {
  type Address,
  getAddress,
  isAddressEqual,
  type Log,
  pad,
  parseEventLogs,
  slice,
  zeroAddress,
} from "viem";
import type { ChainDefinition } from "../chains/chain-definitions.ts";
import type { Receipt, Transaction } from "../chains/chain-transaction.ts";
import { depositRouterAddress } from "../router/router-address.ts";
import { executedOrders } from "../router/router-codec.ts";
import { netTransfers } from "../tracking/deposits/deposit-proofs.ts";
import { entryPoints, userOperationAbi } from "../tracking/deposits/track-deposit-source.ts";
import { adapterOf, asyncDepositsOf } from "../vaults/families/vault-families.ts";
import type { Vault } from "../vaults/vault.ts";
import type { VaultFlow } from "../vaults/vault-adapter.ts";
import { acceptedTokens } from "../vaults/vault-deposit-entry.ts";
import { paidTo } from "../vaults/vault-exits.ts";
import { contractsOfEntry } from "../vaults/vault-params.ts";

/** A deposit into a vault of the registry, as a receipt shows it. */
export interface ShownDeposit {
  vault: Vault;
  /** Deposited amount in the smallest unit of `sentToken`; both are null if the receipt does not show it. */
  sent: bigint | null;
  sentToken: Address | null;
  /**
   * Shares that arrived, in the share token's smallest unit, or null if the deposit is a request that the vault settles
   * later.
   */
  received: bigint | null;
  /** The request, or null if there is none. `requestId` is null if it has none. */
  request: { account: Address; requestId: string | null } | null;
}

/** A successful transaction, and the vaults of its chain. */
interface ShownIn {
  vaults: readonly Vault[];
  chain: ChainDefinition;
  transaction: Transaction;
  receipt: Receipt;
}

/**
 * Finds a deposit into a vault of the registry in a successful receipt: a Router order, otherwise an event of the
 * vault's family, otherwise a call of the entry point. Transfers must confirm shares that arrived. Null if none. Pure.
 */
export function findShownDeposit(shown: ShownIn): ShownDeposit | null {
  return findRouterOrder(shown) ?? findVaultDeposit(shown) ?? findMint(shown);
}

/**
 * Finds a Router order that pays an accepted token into a vault of the registry. An order paid by the transaction's
 * sender is preferred. Null if there is none.
 */
function findRouterOrder({ vaults, chain, transaction, receipt }: ShownIn): ShownDeposit | null {
  const entry = { via: "router", address: depositRouterAddress } as const;
  const orders = executedOrders(receipt.logs).flatMap(({ args }): (ShownDeposit & { payer: Address })[] => {
    const { tokenOut: shareToken, tokenIn: sentToken, amountIn: sent, amountOut: shares, payer } = args;
    const vault = vaults.find(
      (one) =>
        isAddressEqual(one.shareToken, shareToken) &&
        acceptedTokens(one, { chain, entry }).some(({ address }) => isAddressEqual(address, sentToken)),
    );
    const arrived = netTransfers(receipt.logs, { token: shareToken, account: args.receiver });
    return vault === undefined || arrived < shares || shares === 0n
      ? []
      : [{ vault, sent, sentToken, received: shares, request: null, payer }];
  });
  const own = orders.find(({ payer }) => isAddressEqual(payer, transaction.from)) ?? orders[0];
  if (own === undefined) return null;
  const { payer: _, ...order } = own;
  return order;
}

/**
 * Finds a deposit by the events of the vaults' families, or returns null. Vaults that deposit into other vaults emit
 * such events too, so theirs are ignored and one of the transaction's own accounts is preferred.
 */
function findVaultDeposit(shown: ShownIn): ShownDeposit | null {
  const involved = involvedVaults(shown);
  const accounts = accountsOf(shown, involved);
  const deposits = involved.flatMap((vault) => depositsInto(vault, { ...shown, accounts }));
  const ofPeople = deposits.filter(({ account }) => !isVault(account, shown.vaults));
  const own = ofPeople.find(({ account }) => accounts.some((one) => isAddressEqual(one, account)));
  const chosen = own ?? ofPeople[0];
  if (chosen === undefined) return null;
  const { account: _, ...deposit } = chosen;
  return deposit;
}

type DepositOfAccount = ShownDeposit & { account: Address };

function depositsInto(vault: Vault, shown: ShownIn & { accounts: readonly Address[] }): DepositOfAccount[] {
  const { logs } = shown.receipt;
  const source = adapterOf(vault).flows(vault);
  const emitters = [vault.entryPoint, ...source.addresses];
  const own = logs.filter((log) => emitters.some((emitter) => isAddressEqual(emitter, log.address)));
  if (own.length === 0) return [];
  const flows = own.flatMap((log): VaultFlow[] => {
    const flow = source.decode(log);
    return flow?.kind === "deposit" && flow.sharesOnly !== true ? [flow] : [];
  });
  const candidates = [...flows.map(({ user }) => user), ...shown.accounts];
  const requested = candidates.flatMap((account) => requestedDeposit(vault, { account, logs }) ?? []);
  // The shares that reach an account as it makes a request are those of an earlier one. A flow that names a request makes
  // a deposit request, which is found above, or takes a redemption back.
  const settled = flows
    .filter(({ requestId }) => requestId === undefined)
    .flatMap((flow) => settledDeposit(vault, { ...shown, flow }) ?? [])
    .filter(({ account }) => !requested.some((one) => isAddressEqual(one.account, account)));
  return [...settled, ...requested];
}

/**
 * Returns the deposit that an event reports, if shares arrived at the event's user or at one of the transaction's
 * accounts. Null otherwise.
 */
function settledDeposit(
  vault: Vault,
  { flow, accounts, receipt }: ShownIn & { flow: VaultFlow; accounts: readonly Address[] },
): DepositOfAccount | null {
  const gainOf = (account: Address): bigint =>
    netTransfers(receipt.logs, { token: vault.shareToken, account });
  const account = [flow.user, ...accounts].find((one) => gainOf(one) > 0n);
  if (account === undefined) return null;
  const paid = flow.assets === null ? paidBy(vault, { account, receipt }) : null;
  const sent = flow.assets ?? paid?.amount ?? null;
  const sentToken = flow.assets === null ? (paid?.token ?? null) : vault.asset.address;
  return { vault, sent, sentToken, received: gainOf(account), request: null, account };
}

/** Returns the request of an account at an asynchronous vault, or null if the receipt has none. */
function requestedDeposit(
  vault: Vault,
  { account, logs }: { account: Address; logs: readonly Log[] },
): DepositOfAccount | null {
  const request = asyncDepositsOf(vault)?.findRequest(vault, { user: account, logs }) ?? null;
  if (request === null) return null;
  const sentToken = request.assets === null ? null : vault.asset.address;
  const { requestId, assets: sent } = request;
  return { vault, sent, sentToken, received: null, request: { account, requestId }, account };
}

/**
 * Returns an account's payment in one of the vault's tokens. Null if the account paid in none of them or in several.
 */
function paidBy(
  vault: Vault,
  { account, receipt }: { account: Address; receipt: Receipt },
): { token: Address; amount: bigint } | null {
  const tokens = [vault.asset, ...vault.acceptedAssets].map(({ address }) => address);
  const distinct = tokens.filter((token, index) => tokens.indexOf(token) === index);
  const paid = distinct
    .map((token) => ({ token, amount: -netTransfers(receipt.logs, { token, account }) }))
    .filter(({ amount }) => amount > 0n);
  return paid.length === 1 ? (paid[0] ?? null) : null;
}

/**
 * Finds a deposit that no event of a vault's family shows: a call of the vault's entry point by which the sender gained
 * shares that were minted or paid for. Shares that the vault had, such as those of a cancelled request, are none. Null
 * if there is none.
 */
function findMint({ vaults, transaction, receipt }: ShownIn): ShownDeposit | null {
  const { from, to } = transaction;
  for (const vault of vaults) {
    if (to === null || !isAddressEqual(to, vault.entryPoint)) continue;
    const received = netTransfers(receipt.logs, { token: vault.shareToken, account: from });
    if (received <= 0n) continue;
    const paid = paidBy(vault, { account: from, receipt });
    const minted = paidTo(receipt.logs, { token: vault.shareToken, receiver: from, sender: zeroAddress });
    if (paid === null && minted.every((amount) => amount === 0n)) continue;
    return { vault, sent: paid?.amount ?? null, sentToken: paid?.token ?? null, received, request: null };
  }
  return null;
}

/** Maximum number of accounts of one transaction, and of pairs of such an account and a vault, that are looked at. */
const MAX_ACCOUNTS = 100;
const MAX_PAIRS = 1_000;

/**
 * Returns the accounts that a transaction may act for: its sender, its target, the senders of ERC-4337 user operations,
 * and the sub-accounts of all of these (`subAccountsOf`). Anyone can make a transaction with many: of more than can be
 * looked at beside so many vaults, the last are left out.
 */
export function accountsOf(
  { transaction, receipt }: Pick<ShownIn, "transaction" | "receipt">,
  vaults: readonly Vault[],
): Address[] {
  const { from, to } = transaction;
  const logs = receipt.logs.filter(({ address }) => entryPoints.some((one) => isAddressEqual(one, address)));
  const operations = parseEventLogs({ abi: userOperationAbi(), logs });
  const own = [from, ...(to === null ? [] : [to]), ...operations.map(({ args }) => args.sender)];
  return [...new Set([...own, ...subAccountsOf(own, receipt.logs)])].slice(
    0,
    Math.min(MAX_ACCOUNTS, Math.max(2, Math.floor(MAX_PAIRS / vaults.length))),
  );
}

/**
 * Returns the sub-accounts of accounts in Euler's EVC that indexed arguments of events name. They differ from their
 * account in the last byte alone, so that nobody else can have their keys. Source: EVC, `haveCommonOwner`.
 */
function subAccountsOf(accounts: readonly Address[], logs: readonly Log[]): Address[] {
  const prefixOf = (word: string): string => word.toLowerCase().slice(0, -2);
  const prefixes = new Set(accounts.map((account) => prefixOf(pad(account))));
  const words = logs.flatMap(({ topics }) => topics.slice(1));
  return words.filter((word) => prefixes.has(prefixOf(word))).map((word) => getAddress(slice(word, 12)));
}

/**
 * Returns the vaults that a transaction touches: it calls a contract of their registry entry (`contractsOfEntry`), or such
 * a contract emitted one of its logs. The logs show nothing of other vaults, and a search of all of a chain takes long.
 */
export function involvedVaults({ vaults, transaction, receipt }: Omit<ShownIn, "chain">): Vault[] {
  const called = receipt.logs.map(({ address }) => address.toLowerCase());
  const touched = new Set([...called, (transaction.to ?? zeroAddress).toLowerCase()]);
  return vaults.filter((vault) => contractsOfEntry(vault).some((one) => touched.has(one)));
}

/** Returns true if an account is one of the vaults, which deposit into and withdraw from other vaults themselves. */
export const isVault = (account: Address, vaults: readonly Vault[]): boolean =>
  vaults.some(({ address, entryPoint }) => [address, entryPoint].some((own) => isAddressEqual(own, account)));
