import {
  type Address,
  getAddress,
  isAddressEqual,
  type Log,
  parseAbi,
  parseEventLogs,
  zeroAddress,
} from "viem";
import type { ChainDefinition } from "../chains/chain-definitions.ts";
import type { Receipt, Transaction } from "../chains/chain-transaction.ts";
import { isNative, sameAddress } from "../lib/address.ts";
import { once } from "../lib/once.ts";
import { executedOrders, routerBridgeOutput } from "../router/router-codec.ts";
import { netTransfers, transfersOf } from "../tracking/deposits/deposit-proofs.ts";
import { addressesIn } from "../tracking/follow/follow-log-sightings.ts";
import { paymentTo, withdrawalEventsIn } from "../tracking/withdrawals/withdrawal-proofs.ts";
import { adapterOf } from "../vaults/families/vault-families.ts";
import type { Vault } from "../vaults/vault.ts";
import type { VaultFlow } from "../vaults/vault-adapter.ts";
import { paidTo } from "../vaults/vault-exits.ts";
import { namesAccount } from "../vaults/vault-log-arguments.ts";
import { contractsOfEntry } from "../vaults/vault-params.ts";
import { accountsOf, involvedVaults, isVault } from "./status-untracked-deposit.ts";

/**
 * A withdrawal from a vault of the registry, as a receipt shows it. Amounts are in the token's smallest unit, and null
 * if the receipt does not show them.
 */
export interface ShownWithdrawal {
  vault: Vault;
  /**
   * `paid`: the vault paid, possibly to another account. `unpaid`: it took the shares and paid nobody. `request`: it may
   * pay later. `cooldown`: the same after a cooldown. `bridged`: the payment went into a bridge.
   */
  kind: "paid" | "unpaid" | "request" | "cooldown" | "bridged";
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
  /** Amount that the vault paid at once, and what it recorded for the request in all; null if it records nothing. */
  paid: bigint;
  promised: bigint | null;
}

/** A successful transaction, and the vaults of its chain. */
interface ShownIn {
  vaults: readonly Vault[];
  chain: Pick<ChainDefinition, "wrappedNative">;
  transaction: Transaction;
  receipt: Receipt;
}

/**
 * Finds a withdrawal from a vault of the registry in a successful receipt: a Router order paid with shares, otherwise
 * an event of the vault's family for one of the transaction's accounts, or for another account that a request of theirs
 * names. Null if there is none. Pure.
 */
export function findShownWithdrawal(shown: ShownIn): ShownWithdrawal | null {
  return findRouterRedemption(shown) ?? findVaultWithdrawal(shown);
}

/**
 * Finds a Router order that takes a vault's shares into a bridge or for a token whose transfers show a payment to the
 * order's receiver, of which the lower amount counts; native currency has none. An order paid by the transaction's
 * sender is preferred. Null if there is none.
 */
function findRouterRedemption({ vaults, transaction, receipt }: ShownIn): ShownWithdrawal | null {
  const orders = executedOrders(receipt.logs).flatMap(
    ({ args }): (ShownWithdrawal & { payer: Address })[] => {
      const { payer, receiver, tokenIn, tokenOut, amountIn: shares, amountOut } = args;
      const vault = vaults.find(({ shareToken }) => isAddressEqual(shareToken, tokenIn));
      if (vault === undefined || amountOut === 0n) return [];
      const order = { payer, vault, shares, request: null };
      if (isAddressEqual(tokenOut, routerBridgeOutput))
        return [{ ...order, kind: "bridged", received: null, receivedToken: null }];
      const of = { token: tokenOut, user: receiver, stated: amountOut };
      const received = isNative(tokenOut) ? amountOut : paymentTo(receipt.logs, of);
      if (received === 0n) return [];
      return [{ ...order, kind: "paid", received, receivedToken: received === null ? null : tokenOut }];
    },
  );
  const own = orders.find(({ payer }) => isAddressEqual(payer, transaction.from)) ?? orders[0];
  if (own === undefined) return null;
  const { payer: _, ...order } = own;
  return order;
}

function findVaultWithdrawal(shown: ShownIn): ShownWithdrawal | null {
  const { vaults, receipt } = shown;
  const involved = involvedVaults(shown);
  const accounts = accountsOf(shown, involved).filter((account) => !isVault(account, vaults));
  const pairs = involved.flatMap((vault) => accounts.map((account) => ({ vault, account })));
  const own = (at: AtVault) => requestIn(receipt, at) ?? paymentIn(shown, at);
  for (const find of [own, (at: AtVault) => requestForAnother(shown, at)]) {
    for (const at of pairs) {
      const found = find(at);
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
  const find = (logs: readonly Log[]) => exits?.findRequest?.(vault, { user: account, logs }) ?? null;
  const first = find(receipt.logs);
  if (exits === undefined || first === null) return null;
  // Where the shares stay in the wallet, each request replaces the one before.
  const alone = exits.keepsShares === true ? receipt.logs.map((log) => find([log])) : [];
  const seen = alone.findLast((one) => one !== null) ?? first;
  const only = exits.modes(vault).includes("cooldown") ? "cooldown" : "request";
  const { requestId, shares, mode = only } = seen;
  const token = seen.token ?? (exits.tokens(vault, mode)[0] ?? vault.asset).address;
  // Other vaults pay an earlier request in the transaction of the next one.
  const [split] = exits.redeemQueues === true ? eventsOf(receipt, { vault, account }) : [];
  const parts = split === undefined ? [] : paidTo(receipt.logs, { token, receiver: account });
  const paid = parts.reduce((sum, part) => sum + part, 0n);
  const request = {
    mode,
    account,
    requestId,
    token,
    paid,
    promised: split?.flow.assets ?? seen.assets ?? null,
  };
  return { vault, kind: mode, shares, received: null, receivedToken: null, request };
}

/** Maximum number of a vault's events that are searched for requests in favour of other accounts. */
const MAX_EVENTS = 100;

/**
 * Returns the request that an account made with its shares in favour of another one: an event of the vault's names both.
 * Null if there is none.
 */
function requestForAnother(
  { receipt, vaults }: ShownIn,
  { vault, account }: AtVault,
): ShownWithdrawal | null {
  const emitters = contractsOfEntry(vault);
  const naming = receipt.logs.filter(
    (log) => emitters.includes(log.address.toLowerCase()) && namesAccount(log, { account }),
  );
  for (const log of naming.slice(0, MAX_EVENTS)) {
    for (const other of addressesIn(log).map((address) => getAddress(address))) {
      const found = isVault(other, vaults)
        ? null
        : requestIn({ ...receipt, logs: [log] }, { vault, account: other });
      if (found !== null) return found;
    }
  }
  return null;
}

/**
 * Returns the withdrawal of an account that a vault's events report; several events of one kind, as in a batch, are added
 * up. Null if there is none, or if the receipt does not show whether the vault paid. The received amount is null if it is
 * unknown, or if what reached the account is neither the vault's asset nor exactly one of its other exit tokens.
 */
function paymentIn({ chain, receipt }: ShownIn, { vault, account }: AtVault): ShownWithdrawal | null {
  const events = eventsOf(receipt, { vault, account });
  const [event] = events;
  if (event === undefined) return null;
  const alike = events.filter(({ log }) => isOfKind(log, event.log));
  const [shares, assets] = [totalOf(alike, "shares"), totalOf(alike, "assets")];
  const isAsset = (token: Address) => isAddressEqual(token, vault.asset.address);
  const arrived = exitTokens(vault)
    .map((token) => {
      const stated = isAsset(token) ? assets : null;
      return { token, amount: paymentTo(receipt.logs, { token, user: account, stated }) };
    })
    .filter(({ amount }) => amount !== 0n);
  const inAsset = arrived.find(({ token }) => isAsset(token));
  const paid = inAsset ?? (arrived.length === 1 ? arrived[0] : undefined);
  const received = paid?.amount ?? null;
  const receivedToken = received === null ? null : (paid?.token ?? null);
  const at = { chain, receipt, vault, account, event };
  const kind = arrived.length > 0 || isPaidElsewhere(at) ? "paid" : isUnpaid(at) ? "unpaid" : null;
  return kind === null ? null : { vault, kind, shares, received, receivedToken, request: null };
}

interface Unreceived extends AtVault, Pick<ShownIn, "chain" | "receipt"> {
  event: { flow: VaultFlow; log: Log };
}

/**
 * Returns true if a payment that did not reach the event's account in a known token may be taken for made: a transfer in
 * one of the vault's exit tokens, or in one that the event names, reached an account that the event names, such as the
 * receiver that the owner chose; or the vault pays in native currency, which leaves no transfer, or unwrapped its asset
 * to do so.
 */
function isPaidElsewhere(at: Unreceived): boolean {
  const { receipt, vault, event } = at;
  const { flow, log } = event;
  const tokens = exitTokens(vault);
  if (tokens.some(isNative) || isUnwrapped(at)) return flow.assets !== 0n;
  return payments(receipt, vault).some(
    ({ token, to }) =>
      namesAccount(log, { account: to }) &&
      (tokens.some((one) => isAddressEqual(one, token)) || namesAccount(log, { account: token })),
  );
}

const unwrapAbi = once(() => parseAbi(["event Withdrawal(address indexed src, uint256 wad)"]));

/**
 * Returns true if a vault of the wrapped native token unwrapped what its event says, which its token shows by an event
 * of its own or by burning it. Source: WETH9; aeWETH on Arbitrum burns.
 */
function isUnwrapped({ chain, receipt, vault, event }: Unreceived): boolean {
  const { address: token } = vault.asset;
  if (!sameAddress(token, chain.wrappedNative ?? "")) return false;
  const logs = receipt.logs.filter(({ address }) => isAddressEqual(address, token));
  const burnt = transfersOf(logs, token).filter(({ to }) => isAddressEqual(to, zeroAddress));
  const events = parseEventLogs({ abi: unwrapAbi(), logs }).map(({ args }) => ({
    from: args.src,
    value: args.wad,
  }));
  return [...burnt, ...events].some(
    ({ from, value }) =>
      value === event.flow.assets &&
      [vault.address, vault.entryPoint].some((one) => isAddressEqual(one, from)),
  );
}

/**
 * Returns true if a vault's event and the receipt show that shares were redeemed and nobody was paid. What only the
 * event says is no proof of that, unless it says itself that nothing was paid.
 */
function isUnpaid({ chain, receipt, vault, account, event }: Unreceived): boolean {
  const { shares, assets } = event.flow;
  if (shares === null || payments(receipt, vault).length > 0) return false;
  if (assets === 0n) return true;
  // A vault of the wrapped native token may pay native currency instead.
  if (sameAddress(vault.asset.address, chain.wrappedNative ?? "")) return false;
  return netTransfers(receipt.logs, { token: vault.shareToken, account }) < 0n;
}

/** Returns the transfers of any token but the vault's shares to any account but the vault; burns are none. */
function payments({ logs }: Receipt, vault: Vault): { token: Address; to: Address }[] {
  const tokens = new Set(logs.map(({ address }) => getAddress(address)));
  tokens.delete(getAddress(vault.shareToken));
  const own = [vault.address, vault.entryPoint, zeroAddress];
  return [...tokens].flatMap((token) =>
    transfersOf(logs, token)
      .filter(({ to, value }) => value > 0n && !own.some((one) => isAddressEqual(one, to)))
      .map(({ to }) => ({ token, to })),
  );
}

/** Returns the account's withdrawals that a vault's events report, each with its event, in log order. */
const eventsOf = (receipt: Receipt, { vault, account }: AtVault) =>
  withdrawalEventsIn(receipt, vault).filter(({ flow }) => isAddressEqual(flow.user, account));

/** Returns true for two events of one name that the same contract emitted. */
const isOfKind = (one: Log, other: Log): boolean =>
  isAddressEqual(one.address, other.address) && one.topics[0] === other.topics[0];

/** Returns the sum of an amount over withdrawals, or null if one of them is unknown. */
const totalOf = (events: readonly { flow: VaultFlow }[], member: "shares" | "assets"): bigint | null =>
  events.reduce<bigint | null>((sum, { flow }) => {
    const amount = flow[member];
    return sum === null || amount === null ? null : sum + amount;
  }, 0n);

/** Returns the vault's asset and the other tokens that it may pay in any mode. */
function exitTokens(vault: Vault): Address[] {
  const { exits } = adapterOf(vault);
  const modes = exits?.modes(vault) ?? [];
  const tokens = modes.flatMap((mode) => exits?.tokens(vault, mode) ?? []);
  return [...new Set([vault.asset, ...tokens].map(({ address }) => getAddress(address)))];
}
