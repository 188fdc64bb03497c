import { type Hex, pad, toEventSelector } from "viem";
import type { LogFilter } from "../../chains/log-filter.ts";
import type { WatchedTarget, WatchList } from "../../db/queries/follow-queries.ts";
import { isNative } from "../../lib/address.ts";
import { once } from "../../lib/once.ts";
import type { TransferEvent } from "../../providers/provider.ts";
import { depositRouterAddress } from "../../router/router-address.ts";
import { executedOrderTopics } from "../../router/router-codec.ts";

/** Returns the first topic of the event Transfer (EIP-20): the hash of its signature. */
export const transferTopic = once((): Hex => toEventSelector("Transfer(address,address,uint256)"));
/** Address of the Router, lowercase. */
export const routerEmitter: string = depositRouterAddress.toLowerCase();

/**
 * What one tracking round looks for in a chain's logs: the watched deposits and withdrawals, and the events of
 * providers.
 */
export interface LogSearch {
  watch: WatchList;
  /** The events of the bridges and exchanges on the chain. */
  events: readonly TransferEvent[];
  /** Maximum number of topics per list in one log request. */
  maxTopics: number;
}

/** Maximum number of topic lists that the users of deposits in progress may fill. */
const MAX_USER_LISTS = 5;

const word = (address: string): string => pad(address as Hex).toLowerCase();
const distinct = (list: readonly string[]): string[] => [...new Set(list)];

/**
 * Returns the filters for the logs that show deposits and withdrawals on a chain. With many users, payments are
 * selected by the called contracts, and token transfers only for some users with a row in progress. Pure.
 */
export function depositLogFilters(search: LogSearch): LogFilter[] {
  const { watch } = search;
  const filters = [
    { addresses: [routerEmitter], topics: executedOrderTopics() },
    ...paymentFilters(search),
    ...eventFilters(search),
    ...vaultFilters(watch),
    ...movementFilters(search),
  ];
  return filters.filter(({ addresses }) => addresses.length > 0);
}

/**
 * Returns the watched targets that belong to providers: contracts, other than the Router, that a provider's transaction
 * calls.
 */
const providerTargets = ({ targets }: WatchList): WatchedTarget[] =>
  targets.filter(({ provider, sourceTo }) => provider !== null && sourceTo !== routerEmitter);

/**
 * Returns the lowercase addresses of the vault entry points that users call directly, without the Router. No
 * duplicates.
 */
export const ownEntries = ({ targets }: WatchList): string[] =>
  distinct(
    targets.flatMap(({ provider, sourceTo }) =>
      provider === null && sourceTo !== routerEmitter ? [sourceTo] : [],
    ),
  );

/**
 * Returns the filter for transfers of the paid tokens: from the users or, if these are fewer, to the called contracts.
 */
function paymentFilters({ watch, maxTopics }: LogSearch): LogFilter[] {
  const paid = providerTargets(watch).filter(({ fromToken }) => !isNative(fromToken));
  const tokens = distinct(paid.map(({ fromToken }) => fromToken));
  const targets = distinct(paid.map(({ sourceTo }) => sourceTo));
  const lists = (list: readonly string[]): number => Math.ceil(list.length / maxTopics);
  const users = watch.users;
  const topics =
    users !== null && lists(users) <= lists(targets)
      ? [[transferTopic()], users.map(word)]
      : [[transferTopic()], null, targets.map(word)];
  return [{ addresses: tokens, topics }];
}

/**
 * Returns the filters for the events of bridges and exchanges. They select by user if the event indexes the user and
 * the users are few.
 */
function eventFilters({ watch, events, maxTopics }: LogSearch): LogFilter[] {
  const sent = providerTargets(watch);
  const paidNative = new Set(
    sent.flatMap(({ fromToken, sourceTo }) => (isNative(fromToken) ? [sourceTo] : [])),
  );
  const arriving = watch.underWay.filter(({ state }) => state === "bridging");
  const arrivingNative = arriving.filter(({ moveToken }) => moveToken !== null && isNative(moveToken));
  return events.flatMap(({ side, contracts, topic, userTopic, nativeOnly }): LogFilter[] => {
    const arrivals = nativeOnly ? arrivingNative : arriving;
    const addresses = contracts.map((address) => address.toLowerCase());
    const left = nativeOnly ? addresses.some((address) => paidNative.has(address)) : sent.length > 0;
    if (side === "source" ? !left : arrivals.length === 0) return [];
    const users = side === "source" ? watch.users : arrivals.map(({ userAddress }) => userAddress);
    const own = userTopic === null || users === null || users.length > maxTopics ? null : distinct(users);
    if (own === null || userTopic === null) return [{ addresses, topics: [[topic]] }];
    const between = Array.from({ length: userTopic - 1 }, () => null);
    return [{ addresses, topics: [[topic], ...between, own.map(word)] }];
  });
}

/**
 * Returns the filter for all logs of vaults' own entry points and of vaults with open requests. The null topic excludes
 * logs without topics.
 */
const vaultFilters = (watch: WatchList): LogFilter[] => [
  { addresses: distinct([...ownEntries(watch), ...watch.requestContracts]), topics: [null] },
];

/**
 * Returns the filters for transfers from and to the users of the deposits and withdrawals in progress, in the tokens of
 * those deposits and withdrawals.
 */
function movementFilters({ watch, maxTopics }: LogSearch): LogFilter[] {
  const most = maxTopics * MAX_USER_LISTS;
  const users = distinct(watch.underWay.map(({ userAddress }) => userAddress)).slice(0, most);
  if (users.length === 0) return [];
  const addresses = distinct(
    watch.underWay.flatMap(({ moveToken, shareToken, fromToken, exitToken }) => [
      moveToken ?? shareToken,
      shareToken,
      fromToken,
      exitToken ?? shareToken,
    ]),
  ).filter((token) => !isNative(token));
  const words = users.map(word);
  return [
    { addresses, topics: [[transferTopic()], words] },
    { addresses, topics: [[transferTopic()], null, words] },
  ];
}
