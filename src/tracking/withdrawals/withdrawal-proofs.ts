import type { Log } from "viem";
import type { Receipt } from "../../chains/chain-transaction.ts";
import type { WithdrawalRow } from "../../db/queries/deposit-queries.ts";
import { isNative, sameAddress } from "../../lib/address.ts";
import { smaller } from "../../lib/amount.ts";
import { TRANSFER_ROUNDING } from "../../orders/simulate-order-payment.ts";
import { executedOrders, routerBridgeOutput } from "../../router/router-codec.ts";
import { adapterOf } from "../../vaults/families/vault-families.ts";
import type { Vault } from "../../vaults/vault.ts";
import type { VaultFlow } from "../../vaults/vault-adapter.ts";
import { netTransfers, transfersOf } from "../deposits/deposit-proofs.ts";

type Asked = Pick<
  WithdrawalRow,
  | "ref"
  | "userAddress"
  | "shareToken"
  | "exitToken"
  | "moveToken"
  | "vaultChainId"
  | "toChainId"
  | "twoStep"
  | "minAssets"
  | "moveMin"
>;

/** A redemption's payment as its receipt shows it. Amounts are in smallest units. */
export interface ExitPayment {
  /**
   * `asked`: the user received the requested token. `asset`: the user received what the vault pays, which still has to
   * be swapped or bridged. `bridge`: a bridge took it.
   */
  reached: "asked" | "asset" | "bridge";
  /** Amount of the token that the user received or the bridge took. */
  amount: bigint;
  /** Assets that the vault paid, or null if the receipt does not show them. */
  assets: bigint | null;
  /** Shares that were redeemed, or null if the receipt does not show them. */
  shares: bigint | null;
}

/** Returns true if the vault itself pays the requested token on the requested chain, so no transfer follows. */
export const paysRequestedToken = ({
  exitToken,
  moveToken,
  vaultChainId,
  toChainId,
}: Pick<Asked, "exitToken" | "moveToken" | "vaultChainId" | "toChainId">): boolean =>
  vaultChainId === toChainId && sameAddress(exitToken, moveToken);

/** Returns the output token that the Router's event must name for this withdrawal. */
function builtOutput({ exitToken, moveToken, vaultChainId, toChainId, twoStep }: Asked): string {
  if (twoStep) return exitToken;
  return vaultChainId === toChainId ? moveToken : routerBridgeOutput;
}

/**
 * Returns the payment that the Router's event of a withdrawal shows, or null: with the row's reference, tokens and
 * minimum (if any), and the user as payer and receiver. If the user gets a token, its transfers must show the minimum
 * too, and the lower amount counts.
 */
export function findRouterExit(receipt: Receipt, of: { row: Asked; vault: Vault }): ExitPayment | null {
  if (!receipt.succeeded) return null;
  const { row, vault } = of;
  const { order, output, asset, shown, suffices } = routerOrder(receipt, row);
  if (order === null || !suffices) return null;
  const { amountIn: shares, amountOut } = order;
  const amount = smaller(amountOut, shown) ?? amountOut;
  const assets = asset ? amount : redeemedAssets(receipt, { vault, shares });
  const reached = output === routerBridgeOutput ? "bridge" : row.twoStep ? "asset" : "asked";
  return { reached, amount, assets, shares };
}

/** An order of the Router for which the paid token's transfers show less than the Router's event. */
export interface DisputedExit {
  /** Shares that the Router took. */
  shares: bigint;
  /** What the transfers show, in the smallest unit of the token that the vault pays; null if it is of another token. */
  assets: bigint | null;
}

/**
 * Returns the order that the Router's event of a withdrawal shows, as in `findRouterExit`, if the transfers of the paid
 * token to the user are below the minimum. Null otherwise.
 */
export function findDisputedExit(receipt: Receipt, row: Asked): DisputedExit | null {
  if (!receipt.succeeded) return null;
  const { order, asset, shown, suffices } = routerOrder(receipt, row);
  if (order === null || suffices) return null;
  return { shares: order.amountIn, assets: asset ? shown : null };
}

/** Returns the arguments of the Router's event of a withdrawal, and what shows its payment. */
function routerOrder(receipt: Receipt, row: Asked) {
  const output = builtOutput(row);
  const asset = sameAddress(output, row.exitToken);
  const minimum = output === routerBridgeOutput ? null : row.twoStep || asset ? row.minAssets : row.moveMin;
  const least = BigInt(minimum ?? "1");
  const own = executedOrders(receipt.logs).find(
    ({ args }) =>
      args.ref === row.ref &&
      args.amountOut >= least &&
      sameAddress(args.payer, row.userAddress) &&
      sameAddress(args.receiver, row.userAddress) &&
      sameAddress(args.tokenIn, row.shareToken) &&
      sameAddress(args.tokenOut, output),
  );
  // The Router measures balances, which a token may report falsely.
  const shown = shownPayment(receipt, { token: output, user: row.userAddress });
  const suffices = shown === null || (shown > 0n && shown + TRANSFER_ROUNDING >= least);
  return { order: own?.args ?? null, output, asset, shown, suffices };
}

/**
 * Returns the amount that a token's own transfers show for a user, or null where there are none to read: a bridge takes
 * the payment, or it is native currency. What the user spends in the same batch does not count.
 */
function shownPayment({ logs }: Receipt, of: { token: string; user: string }): bigint | null {
  if (of.token === routerBridgeOutput || isNative(of.token)) return null;
  return arrivalsOf(logs, of).reduce((sum, { value }) => sum + value, 0n);
}

/** Returns the transfers of a token to a user from other accounts. */
const arrivalsOf = (logs: Receipt["logs"], { token, user }: { token: string; user: string }) =>
  transfersOf(logs, token).filter(({ from, to }) => sameAddress(to, user) && !sameAddress(from, to));

/**
 * Returns what a token's transfers show as paid to a user, at most the amount that was `stated`, in smallest units. What
 * the user spends in the same batch does not count. Null if unknown: some went back to an account that had paid it, or
 * nothing was stated and some of several payments was spent, which may then be only what came back.
 */
export function paymentTo(
  logs: Receipt["logs"],
  { stated, ...of }: { token: string; user: string; stated: bigint | null },
): bigint | null {
  const moved = transfersOf(logs, of.token).filter(
    ({ from, to, value }) => value > 0n && !sameAddress(from, to),
  );
  const arrivals = moved.filter(({ to }) => sameAddress(to, of.user));
  const spent = moved.filter(({ from }) => sameAddress(from, of.user));
  const total = arrivals.reduce((sum, { value }) => sum + value, 0n);
  // A vault may take its payment back, and a batch may deposit it into the same vault.
  const isReturned = spent.some((one) => {
    const before = moved.slice(0, moved.indexOf(one));
    return before.some((paid) => arrivals.includes(paid) && sameAddress(paid.from, one.to));
  });
  const isUnclear = stated === null && arrivals.length > 1 && spent.length > 0;
  return isReturned || isUnclear ? null : smaller(total, stated);
}

/**
 * Returns the assets of the withdrawal of `shares` in a vault's events, or null unless exactly one has this number of
 * shares.
 */
function redeemedAssets(receipt: Receipt, of: { vault: Vault; shares: bigint }): bigint | null {
  const same = withdrawalsIn(receipt, of.vault).filter(({ shares }) => shares === of.shares);
  return same.length === 1 ? (same[0]?.assets ?? null) : null;
}

/**
 * Returns the withdrawals of any account that a vault's own events in a receipt show, in log order. Those that
 * only take shares, or nothing, are left out; the shares of a payment are null if its request took them.
 */
export const withdrawalsIn = (receipt: Receipt, vault: Vault): VaultFlow[] =>
  withdrawalEventsIn(receipt, vault).map(({ flow }) => flow);

/** Returns the same withdrawals as `withdrawalsIn`, each with the event that shows it. */
export function withdrawalEventsIn({ logs }: Receipt, vault: Vault): { flow: VaultFlow; log: Log }[] {
  const source = adapterOf(vault).flows(vault);
  const emitters = [vault.entryPoint, ...source.addresses];
  return logs.flatMap((log) => {
    if (!emitters.some((emitter) => sameAddress(emitter, log.address))) return [];
    const flow = source.decode(log);
    if (flow?.kind !== "withdrawal" || flow.sharesOnly === true) return [];
    // Anyone may redeem nothing for the user.
    if (flow.assets === 0n && flow.shares === 0n) return [];
    return [{ log, flow: flow.shares === 0n ? { ...flow, shares: null } : flow }];
  });
}

/** How often a batch makes the call of a withdrawal, and the other withdrawals that are known to be such a call. */
export interface EqualCalls {
  calls: number;
  equal: readonly Pick<WithdrawalRow, "trackingId" | "requestId" | "assets">[];
}

/**
 * Returns the payment of a redemption that the user made at the vault, or null: the net transfer of the paid token to
 * the user. If `batched`, it is the transfer that belongs to a vault's event of the user's withdrawal, of several equal
 * calls one that no other withdrawal has; for native currency, the amount in that event.
 */
export function findDirectExit(
  receipt: Receipt,
  of: OfVault & { batched: boolean } & Partial<EqualCalls>,
): ExitPayment | null {
  if (!receipt.succeeded) return null;
  const { row, vault, batched, calls = 1, equal = [] } = of;
  const reached = paysRequestedToken(row) ? "asked" : "asset";
  const fitting = fittingWithdrawals(receipt, { row, vault });
  const flow = freeWithdrawal(fitting, { calls, equal });
  const shares = flow?.shares ?? null;
  if (isNative(row.exitToken)) {
    const amount = flow?.assets ?? null;
    return amount === null || amount <= 0n ? null : { reached, amount, assets: amount, shares };
  }
  const { exitToken: token, userAddress: user } = row;
  const amount = batched
    ? batchedPayment(arrivalsOf(receipt.logs, { token, user }), {
        ...{ flow, vault, equal },
        alone: fitting.length === 1 && equal.length === 0,
      })
    : netTransfers(receipt.logs, { token, account: user });
  return amount === null || amount <= 0n ? null : { reached, amount, assets: amount, shares };
}

/**
 * Returns the shares that the vault's event shows as the user's withdrawal, although none of its payment token reached
 * the user. Null if any did, if the transaction reverted, without exactly one such event or its shares, and for native
 * currency, which leaves no event.
 */
export function findUnpaidShares(receipt: Receipt, { row, vault }: OfVault): bigint | null {
  if (!receipt.succeeded || isNative(row.exitToken)) return null;
  const arrived = arrivalsOf(receipt.logs, { token: row.exitToken, user: row.userAddress });
  if (arrived.some(({ value }) => value > 0n)) return null;
  return freeWithdrawal(fittingWithdrawals(receipt, { row, vault }), { calls: 1, equal: [] })?.shares ?? null;
}

interface OfVault {
  row: Asked & Pick<WithdrawalRow, "fromAmount">;
  vault: Vault;
}

/** Returns how many of the withdrawals that are equal calls have an amount, or one that is unknown. */
const countWith = (equal: EqualCalls["equal"], amount: bigint | null): number =>
  equal.filter(({ assets }) => assets === null || amount === null || BigInt(assets) === amount).length;

/** Returns a vault's events that can be the user's withdrawal of the built number of shares. */
const fittingWithdrawals = (receipt: Receipt, { row, vault }: OfVault): VaultFlow[] =>
  withdrawalsIn(receipt, vault).filter(
    ({ user, shares }) =>
      sameAddress(user, row.userAddress) &&
      (row.fromAmount === "0" || shares === null || shares === BigInt(row.fromAmount)),
  );

/**
 * Returns the first of the events that fit a withdrawal, of several equal calls, which no other withdrawal has. Undefined
 * if there is none, if there are more than these calls, or if they took different shares, so that not all are equal.
 */
function freeWithdrawal(fitting: readonly VaultFlow[], { calls, equal }: EqualCalls): VaultFlow | undefined {
  if (fitting.length > calls || fitting.some(({ shares }) => shares !== fitting[0]?.shares)) return undefined;
  return fitting.find(
    ({ assets }) => fitting.filter((one) => one.assets === assets).length > countWith(equal, assets),
  );
}

/**
 * Returns the amount of the transfers by which a vault paid a withdrawal in a batch: one or all of the event's amount;
 * all, if they are less and the vault queues the rest; or the only one, if it is less (some tokens charge transfers) or
 * the event shows no amount. Unless the withdrawal is `alone`, it is one of the event's amount that none of the `equal`
 * ones has. Null if none of them exists.
 */
function batchedPayment(
  arrivals: readonly { value: bigint }[],
  of: Pick<OfVault, "vault"> & Pick<EqualCalls, "equal"> & { flow: VaultFlow | undefined; alone: boolean },
): bigint | null {
  const { flow, vault, equal, alone } = of;
  if (flow === undefined) return null;
  if (!alone) {
    const same = arrivals.filter(({ value }) => value === flow.assets);
    return same.length > countWith(equal, flow.assets) ? flow.assets : null;
  }
  if (arrivals.some(({ value }) => value === flow.assets)) return flow.assets;
  const total = arrivals.reduce((sum, { value }) => sum + value, 0n);
  if (total === flow.assets) return total;
  const queues = adapterOf(vault).exits?.redeemQueues === true;
  if (queues && total > 0n && flow.assets !== null && total < flow.assets) return total;
  const [only] = arrivals.length === 1 ? arrivals : [];
  return only !== undefined && (flow.assets === null || only.value < flow.assets) ? only.value : null;
}
