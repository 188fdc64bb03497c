import { decodeEventLog, encodeEventTopics, erc20Abi } from "viem";
import type { ChainLog } from "../chains/chain-logs.ts";
import { mapQuery, type Query } from "../chains/chain-reads.ts";
import { type LogFilter, type LogSubscription, toTopicLists } from "../chains/log-filter.ts";
import type { FlowRow } from "../db/queries/flow-queries.ts";
import { MAX_UINT256 } from "../lib/amount.ts";
import { once } from "../lib/once.ts";
import { depositRouterAbi } from "../router/deposit-router-artifact.ts";
import { depositRouterAddress } from "../router/router-address.ts";
import { executedOrderTopics } from "../router/router-codec.ts";
import { adapterOf } from "../vaults/families/vault-families.ts";
import type { Vault } from "../vaults/vault.ts";
import type { FlowSource, VaultFlow } from "../vaults/vault-adapter.ts";

/** Attempts after which no conversion of a flow is tried again. */
const ALL_TRIES = 5;

/** The contracts and events from which the flows of a chain's vaults are read, and the decoder of their logs. */
export interface FlowSources extends LogSubscription {
  /** Addresses of the vaults, lowercase. */
  vaults: readonly string[];
  /**
   * Decodes the logs of complete blocks to rows of the table `flows`. `final` is the number of the last final block.
   */
  toRows(logs: readonly ChainLog[], final: number): FlowRow[];
  /** Returns the query for the unknown assets of a row that `toRows` returned, or null if there is none. */
  conversionOf(row: FlowRow): Query<bigint | null> | null;
}

type FlowListener = { vaultAddress: string; decode: FlowSource["decode"] };

/**
 * Combines the contracts and events from which the flows of a chain's vaults are read, and adds the Router's events,
 * which name the user of a flow through the Router. Throws an Error for a vault with an unknown adapter.
 */
export function joinFlowSources(chainId: number, vaults: readonly Vault[]): FlowSources {
  const topics = new Set<string>();
  const topicsBy = new Map<string, Set<string>>();
  const listeners = new Map<string, FlowListener[]>();
  /** Addresses of the vaults whose deposit events name the Router's clone as the user, by share token. */
  const receivers = new Map<string, string[]>();
  /**
   * Addresses of all vaults by share token, because the event of a redemption through the Router names the Router's
   * executor as the owner.
   */
  const redeemed = new Map<string, string[]>();
  const conversions = new WeakMap<FlowRow, Query<bigint | null>>();
  const requests = new WeakMap<FlowRow, NonNullable<VaultFlow["request"]>>();
  for (const vault of vaults) {
    const source = adapterOf(vault).flows(vault);
    const vaultAddress = vault.address.toLowerCase();
    const addresses = source.addresses.map((address) => address.toLowerCase());
    const wanted = source.topics.map((topic) => topic.toLowerCase());
    const shareToken = vault.shareToken.toLowerCase();
    redeemed.set(shareToken, [...(redeemed.get(shareToken) ?? []), vaultAddress]);
    if (source.namesCaller === true)
      receivers.set(shareToken, [...(receivers.get(shareToken) ?? []), vaultAddress]);
    for (const topic of wanted) topics.add(topic);
    for (const address of addresses) {
      topicsBy.set(address, new Set([...(topicsBy.get(address) ?? []), ...wanted]));
      listeners.set(address, [...(listeners.get(address) ?? []), { vaultAddress, decode: source.decode }]);
    }
  }
  if (vaults.length > 0) {
    topicsBy.set(routerEmitter, new Set(executedTopics()));
    for (const topic of executedTopics()) topics.add(topic);
  }
  return {
    topics: [...topics],
    topicsBy,
    further: receivedTransfers(vaults),
    vaults: vaults.map(({ address }) => address.toLowerCase()),
    toRows: (logs, final) => {
      const all = logs.flatMap((log) => toRow(log, log.blockNumber <= final) ?? []);
      const rows = countedRows(all, requests);
      creditRoutedFlows(rows, { logs, receivers, redeemed });
      return rows;
    },
    conversionOf: (row) => conversions.get(row) ?? null,
  };

  function toRow(log: ChainLog, final: boolean): FlowRow | null {
    for (const { vaultAddress, decode } of listeners.get(log.address) ?? []) {
      const flow = decode(log);
      if (flow === null) continue;
      const sign = flow.kind === "deposit" ? 1n : -1n;
      // What such a request pays is read from the vault, so that there is nothing to convert.
      const isRead = flow.requestId !== undefined && flow.conversion === undefined;
      const row: FlowRow = {
        chainId,
        txHash: log.txHash,
        logIndex: log.logIndex,
        vaultAddress,
        userAddress: flow.user.toLowerCase(),
        kind: flow.kind,
        assets: flow.assets === null ? null : (sign * flow.assets).toString(),
        shares: flow.shares === null ? null : (sign * flow.shares).toString(),
        requestId: flow.requestId ?? null,
        blockNumber: log.blockNumber,
        blockHash: log.blockHash,
        final,
        conversionTries: isRead ? ALL_TRIES : 0,
        conversionTriedAt: null,
      };
      if (flow.request !== undefined) requests.set(row, flow.request);
      if (flow.conversion !== undefined) conversions.set(row, signedAmount(flow.conversion, sign));
      return row;
    }
    return null;
  }
}

/**
 * Returns the rows that count. Those left out make a request (`made`); or took shares for one (`taken`), but are not
 * the last before one that made it, because an unknown contract took them; or have shares that a withdrawal counts
 * (`burned`).
 */
function countedRows(
  rows: readonly FlowRow[],
  requests: { get(row: FlowRow): VaultFlow["request"] },
): FlowRow[] {
  const isOf = ({ txHash, vaultAddress, userAddress }: FlowRow, one: FlowRow): boolean =>
    one.txHash === txHash && one.vaultAddress === vaultAddress && one.userAddress === userAddress;
  const kept = rows.flatMap((row, index) => {
    if (requests.get(row) !== "made") return [];
    return rows.slice(0, index).findLast((one) => requests.get(one) === "taken" && isOf(row, one)) ?? [];
  });
  const made = new Set(kept);
  const burned = new Set(rows.filter((row) => requests.get(row) === "burned"));
  for (const row of rows) {
    if (burned.size === 0 || requests.get(row) !== undefined) continue;
    const same = [...burned].find((one) => isOf(row, one) && one.shares === row.shares);
    if (same !== undefined) burned.delete(same);
  }
  return rows.filter((row) => requests.get(row) === undefined || made.has(row) || burned.has(row));
}

/**
 * Returns the filter of the transfers that vaults' flows count beside their events (`FlowSource.received`), or undefined
 * if there are none. All transfers of a token would be too many.
 */
function receivedTransfers(vaults: readonly Vault[]): LogFilter | undefined {
  const received = vaults.flatMap((vault) => adapterOf(vault).flows(vault).received ?? []);
  if (received.length === 0) return undefined;
  const to = [...new Set(received.flatMap(({ receivers }) => receivers))];
  const topics = encodeEventTopics({ abi: erc20Abi, eventName: "Transfer", args: { to } });
  return { addresses: received.map(({ token }) => token.toLowerCase()), topics: toTopicLists(topics) };
}

/** Returns the query for an amount times `sign`. Null if it is no uint256, because that would fail the write of all rows. */
const signedAmount = (amount: Query<bigint | null>, sign: bigint): Query<bigint | null> =>
  mapQuery(amount, (assets) => (assets === null || assets > MAX_UINT256 ? null : sign * assets));

/**
 * Returns a text that identifies a vault's adapter and the contracts and events from which its flows are read, and
 * how these are decoded. Throws an Error for a vault with an unknown adapter.
 */
export function sourceFingerprint(vault: Vault): string {
  const { addresses, topics, received, revision = 0, ...named } = adapterOf(vault).flows(vault);
  const routed = named.namesCaller === true ? " routed" : "";
  const requests = named.namesRequests === true ? " requests" : "";
  const deposits = named.namesDepositRequests === true ? " deposit-requests" : "";
  const taken = named.takesRequested === true ? " taken" : "";
  const transfers = received === undefined ? "" : ` ${received.token}>${received.receivers}`.toLowerCase();
  const revised = revision === 0 ? "" : ` ${revision}`;
  const sorted = (texts: readonly string[]) =>
    texts
      .map((text) => text.toLowerCase())
      .sort()
      .join(",");
  const read = `${sorted(addresses)} ${sorted(topics)}`;
  return `${vault.adapter} ${read}${routed}${requests}${deposits}${taken}${transfers}${revised}`;
}

/** Address of the Router, lowercase, and the first topics of its `OrderExecuted` event. */
const routerEmitter: string = depositRouterAddress.toLowerCase();
const executedTopics = once((): readonly string[] => executedOrderTopics()[0] ?? []);

/** An order that the Router executed. Addresses are lowercase; amounts are in the tokens' smallest units. */
interface ExecutedOrder {
  payer: string;
  receiver: string;
  tokenIn: string;
  tokenOut: string;
  amountIn: bigint;
  amountOut: bigint;
}

/** Decodes an `OrderExecuted` event of the Router, or returns null for any other log. */
function decodeOrderLog({ topics, data }: ChainLog): ExecutedOrder | null {
  try {
    const { args } = decodeEventLog({ abi: depositRouterAbi, eventName: "OrderExecuted", topics, data });
    const { payer, receiver, tokenIn, tokenOut, amountIn, amountOut } = args;
    return {
      ...{ payer: payer.toLowerCase(), receiver: receiver.toLowerCase() },
      ...{ tokenIn: tokenIn.toLowerCase(), tokenOut: tokenOut.toLowerCase(), amountIn, amountOut },
    };
  } catch {
    return null;
  }
}

/**
 * Credits the flows of the Router's orders in logs, at vaults by share token, to those who received or paid shares.
 * Those of one order lie between its event and that of the order before: an order may also trade the shares elsewhere.
 */
function creditRoutedFlows(
  rows: readonly FlowRow[],
  of: {
    logs: readonly ChainLog[];
    receivers: ReadonlyMap<string, readonly string[]>;
    redeemed: ReadonlyMap<string, readonly string[]>;
  },
): void {
  let before: ChainLog | null = null;
  for (const log of of.logs) {
    const order = log.address === routerEmitter ? decodeOrderLog(log) : null;
    if (order === null) continue;
    const since = before?.txHash === log.txHash ? before.logIndex : -1;
    before = log;
    const own = rows.filter(
      ({ txHash, logIndex, requestId }) =>
        // The Router makes no requests.
        txHash === log.txHash && logIndex > since && logIndex < log.logIndex && requestId === null,
    );
    for (const vaultAddress of of.receivers.get(order.tokenOut) ?? [])
      creditDepositReceiver(own, { ...order, vaultAddress });
    for (const vaultAddress of of.redeemed.get(order.tokenIn) ?? [])
      creditRedemptionPayer(own, { ...order, vaultAddress });
  }
}

type RoutedOrder = ExecutedOrder & { vaultAddress: string };

/**
 * Credits a routed deposit to its receiver: the last deposit row with the shares that arrived, or with these less those
 * of earlier deposits that were claimed for the receiver. The vault's own event names the Router's clone, which passed
 * the shares on.
 */
function creditDepositReceiver(
  rows: readonly FlowRow[],
  { vaultAddress, receiver, amountOut }: RoutedOrder,
): void {
  const deposits = rows.filter((row) => row.vaultAddress === vaultAddress && row.kind === "deposit");
  // One without assets only brings the shares of an earlier deposit, which anyone may claim for their owner.
  const isClaim = ({ assets }: FlowRow): boolean => assets === "0";
  const claimed = deposits
    .filter((row) => isClaim(row) && row.userAddress === receiver)
    .reduce((sum, { shares }) => sum + BigInt(shares ?? "0"), 0n);
  const arrived = [`${amountOut}`, `${amountOut - claimed}`];
  const own = deposits.findLast((row) => !isClaim(row) && arrived.includes(row.shares ?? ""));
  if (own !== undefined) own.userAddress = receiver;
}

/** Smallest part of the shares given to a routed redemption that the vault redeems, in percent. */
const LEAST_REDEEMED_PERCENT = 99n;

/**
 * Credits a redemption through the Router, whose executor the vault's own event names, to the account that paid the
 * shares: in the last withdrawal row of as many shares. Anyone may pay another account's request in the transaction,
 * whose row takes no shares.
 */
function creditRedemptionPayer(
  rows: readonly FlowRow[],
  { vaultAddress, payer, amountIn }: RoutedOrder,
): void {
  const own = rows.findLast((row) => {
    if (row.vaultAddress !== vaultAddress || row.kind !== "withdrawal") return false;
    const shares = -BigInt(row.shares ?? "0");
    // One without assets only takes shares. A vault may redeem slightly fewer; the Router returns the rest.
    return row.assets !== "0" && shares <= amountIn && shares * 100n >= amountIn * LEAST_REDEEMED_PERCENT;
  });
  if (own !== undefined) own.userAddress = payer;
}
