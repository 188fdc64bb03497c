import { type Address, parseAbi } from "viem";
import {
  andThen,
  createQuery,
  mapQuery,
  type Query,
  queryAll,
  type ReadResults,
  read,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { mulDivDown } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";

/** ABI of EigenLayer's withdrawal queues, and of the vault behind one (`sharesToUnderlyingView`). */
const queueAbi = once(() =>
  parseAbi([
    "struct Withdrawal { address staker; address delegatedTo; address withdrawer; uint256 nonce; uint32 startBlock; address[] strategies; uint256[] scaledShares; }",
    "function isolatedVault() view returns (address)",
    "function strategy() view returns (address)",
    "function getWithdrawalRequest(uint256 index, address account) view returns (Withdrawal data, bool isClaimed, uint256 assets, uint256 shares, uint256 accountShares)",
    "function convertScaledSharesToShares(Withdrawal withdrawal, uint256 scaledShares, uint256 totalScaledShares) view returns (uint256)",
    "function sharesToUnderlyingView(address strategy, uint256 shares) view returns (uint256)",
  ]),
);
/**
 * Maximum number of transferred withdrawals of an account that are read per queue. Whoever wants to exceed it must
 * first queue as many withdrawals at EigenLayer. The list of one more still fits into the 4,096 bytes that the
 * aggregator returns of a call.
 */
export const MAX_TRANSFERRED = 120n;

const on = (queue: Address) => ({ to: queue, abi: queueAbi() }) as const;
const unknown: Query<null> = createQuery({}, () => null);

/**
 * Returns a query for what an account would have, in the asset's smallest unit, of the withdrawals with these ids at an
 * EigenLayer queue if it accepted them. Anyone can transfer or request withdrawals for it, and a MultiVault transfers
 * its own to pay a redemption. Null if a part is unread or just accepted, or there are over 120. Source: mellow-finance/simple-lrt.
 */
export function transferredAssets(
  queue: Address,
  { account, ids }: { account: Address; ids: readonly bigint[] },
): Query<bigint | null> {
  if (ids.length === 0) return createQuery({}, () => 0n);
  if (BigInt(ids.length) > MAX_TRANSFERRED) return unknown;
  return andThen(withdrawalsOf(queue, { account, ids }), ({ names, withdrawals }): Query<bigint | null> => {
    const all = withdrawals.flatMap((result) => (result.ok ? [result.value] : []));
    if (all.length < ids.length) return unknown;
    const own = all.filter(([, , , total, shares]) => total > 0n && shares > 0n);
    // A listed one of which nothing is left was accepted after the list was read, and the sums may not contain it yet.
    return own.length < all.length ? unknown : assetsOf(queue, { names, own });
  });
}

/**
 * Returns a query for what a number of its shares in a withdrawal at an EigenLayer queue is worth, in the asset's
 * smallest unit, rounded down; null if unread or paid out.
 */
export function worthOfPart(
  queue: Address,
  { account, id, shares }: { account: Address; id: bigint; shares: bigint },
): Query<bigint | null> {
  return andThen(withdrawalsOf(queue, { account, ids: [id] }), ({ names, withdrawals: [seen] }) => {
    if (seen === undefined || !seen.ok) return unknown;
    const [data, isClaimed, assets, total] = seen.value;
    return total === 0n
      ? unknown
      : assetsOf(queue, { names, own: [[data, isClaimed, assets, total, shares]] });
  });
}

const nameReads = (queue: Address) => ({
  isolated: read({ ...on(queue), name: "isolatedVault" }),
  strategy: read({ ...on(queue), name: "strategy" }),
});
type Names = ReadResults<ReturnType<typeof nameReads>>;

/** Returns a query for withdrawals at a queue, with the shares of an account, and for what values them. */
const withdrawalsOf = (queue: Address, of: { account: Address; ids: readonly bigint[] }) =>
  queryAll({
    names: createQuery(nameReads(queue), (results) => results),
    withdrawals: createQuery(withdrawalReads(queue, of), Object.values<WithdrawalResult>),
  });

/** Returns a query for the assets that the shares in withdrawals, the last of each, are worth; null if unread. */
function assetsOf(
  queue: Address,
  { names: { isolated, strategy }, own }: { names: Names; own: readonly Withdrawal[] },
): Query<bigint | null> {
  const claimed = own.filter(([, isClaimed]) => isClaimed);
  const assets = claimed.reduce((sum, [, , of, total, shares]) => sum + mulDivDown(of, shares, total), 0n);
  if (claimed.length === own.length) return createQuery({}, () => assets);
  if (!isolated.ok || !strategy.ok) return unknown;
  const to = { vault: isolated.value, strategy: strategy.value };
  const waiting = andThen(sharesOf(queue, own), (shares) => (shares === null ? unknown : worth(to, shares)));
  return mapQuery(waiting, (value) => (value === null ? null : value + assets));
}

const withdrawalReads = (queue: Address, { account, ids }: { account: Address; ids: readonly bigint[] }) =>
  Object.fromEntries(
    ids.map((id) => {
      const args = [id, account] as const;
      return [`withdrawal ${id}`, read({ ...on(queue), name: "getWithdrawalRequest", args })];
    }),
  );
type WithdrawalResult = ReadResults<ReturnType<typeof withdrawalReads>>[string];
type Withdrawal = Extract<WithdrawalResult, { ok: true }>["value"];

/** Returns a query for the strategy's shares of the withdrawals that the queue has yet to claim; null if unread. */
function sharesOf(queue: Address, own: readonly Withdrawal[]): Query<bigint | null> {
  const waiting = own.flatMap(([data, isClaimed, , total, shares], index) => {
    const args = [data, shares, total] as const;
    const call = { ...on(queue), name: "convertScaledSharesToShares", args } as const;
    return isClaimed ? [] : [[`shares ${index}`, read(call)] as const];
  });
  return createQuery(Object.fromEntries(waiting), (results) => {
    const all = Object.values(results).flatMap((result) => (result.ok ? [result.value] : []));
    return all.length < waiting.length ? null : all.reduce((sum, shares) => sum + shares, 0n);
  });
}

/** Returns a query for the assets that shares of a strategy are worth; null if unread. */
function worth(
  { vault, strategy }: { vault: Address; strategy: Address },
  shares: bigint,
): Query<bigint | null> {
  const call = { ...on(vault), name: "sharesToUnderlyingView", args: [strategy, shares] } as const;
  return createQuery({ underlying: read(call) }, ({ underlying }) => valueOrNull(underlying));
}
