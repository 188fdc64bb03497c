import { type Hex, type Log, numberToHex, toFunctionSelector } from "viem";
import type { ChainLog } from "../../../src/chains/chain-logs.ts";
import { RpcError } from "../../../src/chains/json-rpc.ts";
import type { LogFilter } from "../../../src/chains/log-filter.ts";
import type { Database } from "../../../src/db/database-client.ts";
import type { Drizzle } from "../../../src/db/open-drizzle.ts";
import type { WithdrawalRow } from "../../../src/db/queries/deposit-queries.ts";
import { deposits } from "../../../src/db/tables/deposit-tables.ts";
import { exitRequestTransitions } from "../../../src/tracking/withdrawals/track-withdrawal-request.ts";
import { completeClient } from "../chains/complete-client.ts";
import { type Contracts, contractsClient, head } from "../chains/multicall.ts";
import { wireLog } from "../chains/wire.ts";
import { testContext } from "../context.ts";
import { NOW, VAULT, vault } from "../deposits/fixtures.ts";
import { receiptOf } from "../deposits/logs.ts";
import { withdrawalRow } from "./withdrawal-row.ts";
import { storedOf } from "./withdrawing.ts";

/** Block of the scene's first transaction: no reorg replaces it any more. */
const FIRST = head.number - 1_000;

/** Returns the hash of the transaction at a place of the scene. */
export const hashAt = (place: number): Hex => numberToHex(place + 1, { size: 32 });

/** Returns the row of an open request for `shares` that the transaction at `place` of the scene made. */
export const askedAt = (
  place: number,
  change: Partial<WithdrawalRow> & { shares: string },
): WithdrawalRow => ({
  ...withdrawalRow,
  ...{ state: "requested", mode: "request", requestId: "0", sourceProven: true },
  ...{ sourceTo: VAULT.toLowerCase(), sourceTxHash: hashAt(place) },
  ...{ trackingId: `trk_${place.toString().padStart(32, "0")}` },
  ...change,
});

/** Requests of one account at one vault. */
export interface Requests {
  adapter: string;
  /** The logs of the account's transactions at the vault, one after the other, each in a block of its own. */
  sent: readonly (readonly Log[])[];
  /** The request that is checked, and the account's other withdrawals. */
  row: WithdrawalRow;
  others?: readonly WithdrawalRow[];
  /** What the vault's views return, by their signatures: a number, or all words; 0 for others. */
  views?: Readonly<Record<string, bigint | Hex | ((data: Hex) => bigint)>>;
  /** The same at blocks before the head, if they differ there; or such blocks cannot be read. */
  viewsBefore?: Requests["views"] | "unreadable";
  /** Present if the nodes refuse every search for logs. */
  refusesLogs?: true;
  /** Places of the transactions that are known as hints, and of those that have no confirmation. */
  hinted?: readonly number[];
  unconfirmed?: readonly number[];
  /** Places of the transactions that no node knows any more. */
  forgotten?: readonly number[];
  /** Parameters of the vault's registry entry. */
  params?: Readonly<Record<string, string>>;
  /** The chain's head block, and the blocks of the transactions. */
  headBlock?: number;
  blockOf?: (place: number) => number;
  /** Number of checks one after the other; 1 if absent. */
  checks?: number;
  /** Called when hints are stored. */
  onHints?: () => void;
  /** Present if this service did not build the checked request: keeps the payments that a check finds. */
  keep?: (hashes: readonly Hex[]) => void;
}

const blockAt = ({ blockOf }: Requests, place: number): number => blockOf?.(place) ?? FIRST + place;

/** Returns what a check of a request concludes, the last of several: what it shows, with the columns that it changes. */
export async function checkRequest(scene: Requests) {
  const { row, sent, hinted = [], unconfirmed = [], forgotten = [], checks = 1, keep } = scene;
  const keeping = async (hashes: readonly Hex[]): Promise<boolean> => {
    keep?.(hashes);
    return true;
  };
  const ctx = testContext({ db: databaseOf(scene), nowMs: NOW, clients: [clientOf(scene)] });
  const { trackingId, vaultChainId: chainId, createdAt: notedAt } = row;
  const check = () =>
    exitRequestTransitions(ctx, {
      row,
      ...(keep !== undefined && { unrecorded: { keep: keeping } }),
      hints: hinted.map((place) => ({
        ...{ trackingId, chainId, txHash: hashAt(place), origin: "logs", notedAt, droppedAt: null },
      })),
      readTransaction: async (_chainId, hash) => {
        const place = Number(hash) - 1;
        if (forgotten.includes(place)) return { transaction: null, receipt: null, confirmations: 0 };
        const receipt = { ...receiptOf(...(sent[place] ?? [])), blockNumber: BigInt(blockAt(scene, place)) };
        return { transaction: null, receipt, confirmations: unconfirmed.includes(place) ? 0 : 50 };
      },
    });
  for (let before = 1; before < checks; before += 1) await check();
  const { transitions, undecided } = await check();
  const [first] = transitions;
  const shows = first !== undefined && "shows" in first.event ? first.event.shows : null;
  return { shows, change: first?.change ?? null, undecided };
}

function clientOf(scene: Requests) {
  const { sent, views = {}, viewsBefore = views, headBlock = head.number } = scene;
  const block = { ...head, number: headBlock, timestamp: Math.floor(NOW / 1_000) };
  const reading = contractsClient(contractsWith(views), { block });
  const earlier =
    viewsBefore === "unreadable" ? null : contractsClient(contractsWith(viewsBefore), { block });
  const wire = sent.flatMap((logs, place) =>
    logs.map(({ address, topics, data }, index) =>
      wireLog(
        { address: address.toLowerCase(), topics: topics as ChainLog["topics"], data },
        { block: blockAt(scene, place), txHash: hashAt(place), index },
      ),
    ),
  );
  return completeClient({
    ...reading,
    request: async (method: string, params: readonly unknown[]) => {
      if (method === "eth_getLogs" && scene.refusesLogs) throw new RpcError("node", "too many blocks");
      if (method === "eth_getLogs")
        return wire.filter((one) => isWithin(one.blockNumber, params) && isWanted(one, params));
      if (method !== "eth_call" || params[1] === "latest") return reading.request(method, params);
      if (earlier === null) throw new RpcError("node", "missing trie node");
      return earlier.request(method, params);
    },
  });
}

function contractsWith(views: NonNullable<Requests["views"]>): Contracts {
  const bySelector = new Map(
    Object.entries(views).map(([signature, value]) => [toFunctionSelector(signature), value]),
  );
  return ({ data }) => {
    const value = bySelector.get(data.slice(0, 10) as Hex) ?? 0n;
    if (typeof value === "string") return { ok: true, data: value };
    return { ok: true, data: numberToHex(typeof value === "bigint" ? value : value(data), { size: 32 }) };
  };
}

/** Returns true if a block is in the range that a request for logs names. */
function isWithin(block: unknown, [filter]: readonly unknown[]): boolean {
  const { fromBlock, toBlock } = filter as Record<string, string>;
  return Number(block) >= Number(fromBlock) && Number(block) <= Number(toBlock);
}

/** Returns true if a log has the topics that a request for logs names. */
function isWanted({ topics }: Pick<ChainLog, "topics">, [filter]: readonly unknown[]): boolean {
  const lists = (filter as Pick<LogFilter, "topics">).topics;
  return lists.every((list, position) => list === null || list.includes(topics[position] ?? ""));
}

/** A database with the vault and the account's other withdrawals, in which every condition holds. */
function databaseOf({ adapter, others = [], params = {}, onHints }: Requests): Database {
  const stored = { ...storedOf({ ...vault, adapter, params, caller: "user" }), wasActive: true };
  return {
    run: async (ask) => {
      let rows: readonly object[] = [stored];
      const statement: unknown = new Proxy(() => undefined, {
        get: (_target, name) => {
          if (name === "then") return (resolve: (found: unknown) => void) => resolve(rows);
          return (table: unknown) => {
            if (name === "insert") onHints?.();
            if (name === "from" && table === deposits) rows = others;
            return statement;
          };
        },
      });
      return ask(statement as Drizzle);
    },
  };
}
