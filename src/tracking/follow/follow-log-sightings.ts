import { toEventSelector } from "viem";
import type { ChainLog } from "../../chains/chain-logs.ts";
import { toViemLog } from "../../chains/chain-logs.ts";
import type { Sightings } from "../../db/queries/deposit-hint-queries.ts";
import { once } from "../../lib/once.ts";
import { executedOrders } from "../../router/router-codec.ts";
import { type LogSearch, ownEntries, routerEmitter, transferTopic } from "./follow-log-filters.ts";

/** Maximum number of 32-byte words per log that are compared with users' addresses. */
const MAX_WORDS = 64;
/**
 * Common vault events that never settle requests of users other than those they name, and of those only with a transfer
 * or the user's own call.
 */
const usualEvents = once(
  (): ReadonlySet<string> =>
    new Set(
      [
        "Transfer(address,address,uint256)",
        "Approval(address,address,uint256)",
        "Deposit(address,address,uint256,uint256)",
        "Withdraw(address,address,address,uint256,uint256)",
        "RedeemRequest(address,address,uint256,address,uint256)",
        "DepositRequest(address,address,uint256,address,uint256)",
        "OperatorSet(address,address,bool)",
      ].map((signature) => toEventSelector(signature)),
    ),
);
/**
 * Pattern of a 32-byte word that may contain an address: 12 zero bytes, then 20 bytes that do not begin with 8 zero
 * bytes.
 */
const ADDRESS_WORD = /^0{24}(?!0{16})[0-9a-f]{40}$/;

/**
 * Extracts from a chain's logs what may belong to rows: Router references, token payments, addresses in events of
 * bridges and vaults, and contracts that may have settled requests. Addresses are lowercase. Pure.
 */
export function sightingsOf(logs: readonly ChainLog[], search: LogSearch): Sightings {
  const { watch, events } = search;
  const moving = new Set(watch.underWay.map(({ userAddress }) => userAddress));
  const entries = new Set(ownEntries(watch));
  const settling = new Set(watch.requestContracts);
  const ofBridges = new Map(
    events.flatMap((event) =>
      event.contracts.map((contract) => [`${contract.toLowerCase()} ${event.topic}`, event] as const),
    ),
  );
  const seen: Collected = {
    references: referencesOf(logs),
    payments: [],
    mentions: [],
    moves: [],
    touched: [],
  };
  const move = (users: readonly string[], of: { txHash: string; contract?: string }): void => {
    for (const user of users) if (moving.has(user)) seen.moves.push({ user, ...of });
  };
  const touched = new Set<string>();
  for (const log of logs) {
    const { txHash } = log;
    const event = ofBridges.get(`${log.address} ${log.topics[0]}`);
    const transfer = transferOf(log);
    if (transfer !== null) {
      seen.payments.push({ ...transfer, txHash });
      move([transfer.user, transfer.to], { txHash });
    }
    const settles = settling.has(log.address) && !usualEvents().has(log.topics[0] ?? "");
    if (settles) {
      touched.add(log.address);
      move(addressesIn(log), { txHash, contract: log.address });
    } else if (event?.side === "destination" || settling.has(log.address)) move(addressesIn(log), { txHash });
    const target = entries.has(log.address) ? log.address : null;
    if (target === null && event?.side !== "source") continue;
    for (const user of addressesIn(log)) seen.mentions.push({ user, target, txHash });
  }
  return { ...seen, touched: [...touched] };
}

type Collected = { [Kind in keyof Sightings]: Sightings[Kind][number][] };

/** Returns the Router's orders (deposits and withdrawals) in the logs, with their references. */
function referencesOf(logs: readonly ChainLog[]): Collected["references"] {
  const own = logs.filter(({ address }) => address === routerEmitter).map(toViemLog);
  return executedOrders(own).map(({ args, transactionHash }) => ({
    ref: args.ref.toLowerCase(),
    txHash: transactionHash.toLowerCase(),
    receiver: args.receiver.toLowerCase(),
    shareToken: args.tokenOut.toLowerCase(),
  }));
}

/** Decodes an ERC-20 `Transfer` event, or returns null for any other log. */
function transferOf({ address, topics, data }: ChainLog) {
  const [signature, from, to] = topics;
  const fits = signature === transferTopic() && topics.length === 3 && data.length === 66;
  if (!fits || from === undefined || to === undefined) return null;
  const accountOf = (topic: string): string => `0x${topic.slice(-40)}`;
  return { token: address, user: accountOf(from), to: accountOf(to), amount: BigInt(data).toString() };
}

/** Returns the distinct addresses in the words of a log, lowercase. */
export function addressesIn({ topics, data }: { topics: readonly string[]; data: string }): string[] {
  const words = topics.slice(1).map((topic) => topic.slice(2));
  for (let at = 2; at + 64 <= data.length && words.length < MAX_WORDS; at += 64)
    words.push(data.slice(at, at + 64));
  const found = words.filter((text) => ADDRESS_WORD.test(text)).map((text) => `0x${text.slice(24)}`);
  return [...new Set(found)];
}
