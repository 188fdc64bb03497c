import { type Address, type Hex, hexToBigInt, slice } from "viem";
import { failure, failureFrom } from "../../errors.ts";
import type { BlockTime } from "../../lib/block-ranges.ts";
import type { ChainClient, NodeReport } from "../chain-client.ts";
import { type Query, type Read, type ReadResult, type ReadResults, unlessUnmade } from "../chain-reads.ts";
import { RpcError } from "../json-rpc.ts";
import { RpcData, RpcQuantity } from "../rpc-values.ts";
import {
  type AggregatedAnswer,
  CALL_GAS,
  type CallResult,
  decodeResults,
  encodeCalls,
  fitsOneRequest,
  HELD_PROGRAM,
  PROGRAM,
  sliceCalls,
} from "./aggregator-codec.ts";

/**
 * Maximum number of rounds in which the reads of all contracts share requests. A request that runs out of gas or space
 * leaves its remaining reads to the next round.
 */
const ROUNDS = 6;
/** Maximum number of contracts whose reads then get requests of their own, and of rounds of these for each contract. */
const MOST_APART = 16;
const ROUNDS_APART = 3;
/** Gas limit for repeating a read that ran out of gas: what most nodes allow for one `eth_call`, minus the overhead. */
const LAST_GAS = 20_000_000;

/**
 * Makes view calls at the head of a chain, up to 300 per request, and returns the results by the names of the reads. A
 * failed call does not fail the others. `block` is the block of the first request; other requests may read other
 * blocks. Throws `upstream_unavailable` or `upstream_timeout`.
 */
export async function aggregate<R extends Record<string, Read<unknown>>>(
  client: ChainClient,
  reads: R,
): Promise<{ block: BlockTime; results: ReadResults<R> }> {
  const names = Object.keys(reads);
  const calls = names.flatMap((name) => reads[name] ?? []);
  const { block, results: response } = await aggregateList(client, calls);
  const results = Object.fromEntries(names.map((name, i) => [name, response[i]]));
  return { block, results: results as ReadResults<R> };
}

/**
 * Makes view calls like `aggregate`, but takes a list and returns the results in the same order, with the block of the
 * first request. Throws `upstream_unavailable` or `upstream_timeout`.
 */
export async function aggregateList(
  client: ChainClient,
  reads: readonly Read<unknown>[],
): Promise<{ block: BlockTime; results: ReadResult<unknown>[] }> {
  const asked: PendingRead[] = reads.map((read) => ({ ...read, result: null }));
  const block = await readAll(client, { open: asked, callGas: CALL_GAS });
  for (let round = 1; round < ROUNDS; round += 1) {
    const open = unreached(asked);
    if (open.length === 0) break;
    await readAll(client, { open, callGas: CALL_GAS });
  }
  const greedy = await readApart(client, unreached(asked));
  const spent = asked.filter(({ result }) => result?.status === "spent");
  if (spent.length > 0) await readAll(client, { open: spent, callGas: LAST_GAS });
  // The reads of a contract that used up the gas of a call, or of its own requests, fail by its own doing.
  const burning = new Set([...spent.map(({ to }) => to), ...greedy]);
  const isUnmade = ({ to, result }: PendingRead): boolean =>
    !burning.has(to) && (result === null || result.status === "not_reached");
  const results = asked.map(
    (one): ReadResult<unknown> =>
      isUnmade(one) ? { ok: false, revert: null, isUnmade: true } : settleRead(one, one.result),
  );
  return { block, results };
}

/**
 * Contract creation code that runs in an `eth_call` and is never deployed, with the decoder of the data it returns.
 * `read` throws if the data are malformed.
 */
export interface Program<T> {
  code: Hex;
  read: (answer: Hex, seen: (report: NodeReport) => void) => T;
}

/** The results of a program and of the view calls that were made with it. */
interface ProgramAnswer<T> {
  answer: T;
  results: Record<string, ReadResult<unknown>>;
}

/**
 * Runs a program and makes view calls in one request, hence at the same block. Returns null if they do not fit into it,
 * the program fails or returns nothing or too much, or a call cannot be made. Throws an RpcError `unsupported` if no
 * node accepts a state override that is needed, or the program returns nothing with it; other errors of the chain
 * client propagate.
 */
export async function aggregateProgram<T>(
  client: ChainClient,
  asked: { program: Program<T>; reads: Record<string, Read<unknown>> },
): Promise<ProgramAnswer<T> | null> {
  const { program } = asked;
  const reads = Object.values(asked.reads);
  const inside = [{ to: PROGRAM, data: program.code }, ...reads];
  if (fitsOneRequest(inside)) return runTogether(client, { ...asked, calls: inside, at: 0, overrides: [] });
  // Last, because it gets all gas that the others leave.
  const calls = [...reads, { to: HELD_PROGRAM, data: "0x" as const }];
  if (!fitsOneRequest(calls)) return null;
  return runTogether(client, { ...asked, calls, at: reads.length, overrides: [holding(program)] });
}

/** Returns the parameter of `eth_call` that gives a program's code to an account. */
const holding = ({ code }: Pick<Program<unknown>, "code">) => ({ [HELD_PROGRAM]: { code } });

/** Makes the calls of which the one at the index `at` is the program. */
function runTogether<T>(
  client: ChainClient,
  asked: {
    program: Program<T>;
    reads: Record<string, Read<unknown>>;
    calls: readonly { to: Address; data: Hex }[];
    at: number;
    overrides: readonly unknown[];
  },
): Promise<ProgramAnswer<T> | null> {
  const { program, calls, at, overrides } = asked;
  return client.ask({
    method: "eth_call",
    params: [{ data: encodeCalls(calls) }, "latest", ...overrides],
    read: (response, seen) => {
      const { results: all } = decodeResults(RpcData.parse(response), calls.length);
      const made = all[at];
      const others = all.filter((_, index) => index !== at);
      if (made?.status !== "answered" || others.some(({ status }) => status === "not_reached")) return null;
      if (made.data === "0x") {
        if (overrides.length > 0) throw ignoredOverride();
        return null;
      }
      const named = Object.entries(asked.reads);
      const results = named.map(([name, read], i) => [name, settleRead(read, others[i] ?? null)] as const);
      return { answer: program.read(made.data, seen), results: Object.fromEntries(results) };
    },
  });
}

/**
 * Runs a program that a state override places at an account, so that the limits of code size do not apply. Throws an
 * RpcError `unsupported` if no node accepts the override; other errors of the chain client propagate. Source: EIP-170,
 * EIP-3860.
 */
export function runHeldProgram<T>(client: ChainClient, program: Program<T>): Promise<T> {
  return client.ask({
    method: "eth_call",
    params: [{ to: HELD_PROGRAM, data: "0x" }, "latest", holding(program)],
    read: (response, seen) => {
      const answer = RpcData.parse(response);
      if (answer === "0x") throw ignoredOverride();
      return program.read(answer, seen);
    },
  });
}

/** Error for a node that ignores the state override, for which the account of a program has no code. */
const ignoredOverride = (): RpcError => new RpcError("unsupported", "the node ignores state overrides");

/** A read with its result, which is null until the read has been made. */
type PendingRead = Read<unknown> & { result: CallResult | null };

/**
 * Returns the reads that were not reached, because their request ran out of gas or space: those of contracts first of
 * which the fewest were made. Reads of contracts that used up the gas limit of a call come last, because they may again
 * leave no gas for the others.
 */
function unreached(asked: readonly PendingRead[]): PendingRead[] {
  const made = new Map<Address, number>();
  for (const { to, result } of asked) {
    const more =
      result === null || result.status === "not_reached" ? 0 : result.status === "spent" ? SPENT : 1;
    made.set(to, (made.get(to) ?? 0) + more);
  }
  const open = asked.filter(({ result }) => result?.status === "not_reached");
  return open.toSorted((a, b) => (made.get(a.to) ?? 0) - (made.get(b.to) ?? 0));
}

/** What a call that used up its gas limit counts in the order of reads: more than all calls of a contract. */
const SPENT = 1_000_000;

/**
 * Makes reads that earlier requests did not reach, those of each contract in requests of their own, which no other
 * contract can starve. Returns the contracts whose reads do not fit into them although some of them were made.
 */
async function readApart(client: ChainClient, open: readonly PendingRead[]): Promise<ReadonlySet<Address>> {
  const contracts = [...new Set(open.map(({ to }) => to))].filter((to) => to !== PROGRAM);
  const apart = await Promise.all(
    contracts.slice(0, MOST_APART).map(async (to) => {
      let left = open.filter((one) => one.to === to);
      for (let round = 0; round < ROUNDS_APART && left.length > 0; round += 1) {
        const before = left.length;
        await readAll(client, { open: left, callGas: CALL_GAS });
        left = left.filter(({ result }) => result?.status === "not_reached");
        // A node that reaches none is at fault: the first call of a request is always made.
        if (left.length === before) return null;
      }
      return left.length > 0 ? to : null;
    }),
  );
  return new Set(apart.filter((to) => to !== null));
}

/**
 * Makes reads in as few requests as possible, records their results in them and returns the block of the first request.
 */
async function readAll(
  client: ChainClient,
  { open, callGas }: { open: readonly PendingRead[]; callGas: number },
): Promise<BlockTime> {
  const slices = sliceCalls(open);
  const answers = await Promise.all(slices.map((slice) => readSlice(client, { slice, callGas })));
  const [first] = answers;
  if (first === undefined) throw new RangeError("no slice");
  for (const [index, slice] of slices.entries()) {
    for (const [place, one] of slice.entries()) one.result = answers[index]?.results[place] ?? null;
  }
  return { number: first.blockNumber, timestamp: first.timestamp };
}

async function readSlice(
  client: ChainClient,
  { slice, callGas }: { slice: readonly PendingRead[]; callGas: number },
): Promise<AggregatedAnswer & { blockNumber: number }> {
  try {
    return await client.ask({
      method: "eth_call",
      params: [{ data: encodeCalls(slice, callGas) }, "latest"],
      read: (response, seen) => {
        const answer = decodeResults(RpcData.parse(response), slice.length);
        const { chainId, blockNumber } = answer;
        if (blockNumber === null) throw new RangeError("the result does not contain its block");
        seen({ chainId, blockNumber });
        return { ...answer, blockNumber };
      },
    });
  } catch (error) {
    if (error instanceof Error && error.name === "AppError") throw error;
    const detail = error instanceof RpcError ? "refused a read" : "gave an unusable answer";
    throw failureFrom("upstream_unavailable", `a node of ${client.definition.name} ${detail}`, error);
  }
}

/**
 * Converts the result of one aggregated call to that of its read. A call without a result, or with return data that
 * cannot be decoded, counts as failed; only a reverted call has revert data.
 */
export function settleRead(read: Read<unknown> | undefined, result: CallResult | null): ReadResult<unknown> {
  if (read === undefined || result === null || !("data" in result)) return { ok: false, revert: null };
  if (result.status === "failed") return { ok: false, revert: result.data };
  try {
    return { ok: true, value: read.decode(result.data) };
  } catch {
    return { ok: false, revert: null };
  }
}

/**
 * Runs a query with its further batches, each as `aggregate` makes them; the block is that of the first batch. Throws
 * `upstream_unavailable`, `upstream_timeout` and the errors of the query's own functions.
 */
export async function runQuery<S>(
  client: ChainClient,
  described: Query<S>,
): Promise<{ value: S; block: BlockTime }> {
  const { block, results } = await aggregate(client, described.reads);
  let value = described.interpret(results);
  let next = described.next?.(results) ?? null;
  while (next !== null) {
    const further = Object.keys(next.reads).length === 0 ? {} : (await aggregate(client, next.reads)).results;
    value = next.interpret(further);
    next = next.next?.(further) ?? null;
  }
  return { value, block };
}

/**
 * Runs a query like `runQuery` and returns its result. Throws `upstream_unavailable` also if the nodes left out one of
 * its reads, which says nothing about the contracts.
 */
export async function runWholeQuery<S>(client: ChainClient, described: Query<S>): Promise<S> {
  const { value } = await runQuery(client, unlessUnmade(described));
  if (value === "unread") throw failure("upstream_unavailable", "the nodes did not make every read");
  return value as S;
}

/**
 * Returns an account's balance of the chain's native currency at the head, in wei. Errors of the chain client
 * propagate.
 */
export async function readNativeBalance(client: ChainClient, account: Address): Promise<bigint> {
  return client.ask({
    method: "eth_getBalance",
    params: [account, "latest"],
    read: (response) => RpcQuantity.parse(response),
  });
}

/**
 * Creates a read of an account's balance of the native currency, in wei. The read runs creation code, so it works only
 * through the aggregator contract, as in `aggregate`.
 */
export function nativeBalanceRead(account: Address): Read<bigint> {
  // Creation code that returns the balance: push the account, BALANCE, store it at 0, return 32 bytes.
  const data: Hex = `0x73${account.slice(2).toLowerCase()}3160005260206000f3`;
  return { to: PROGRAM, data, decode: (answer) => hexToBigInt(answer) };
}

/**
 * Creates a read of an account's code: its size in bytes and its first 32 bytes, padded with zeros. An EIP-7702
 * delegation counts as 23 bytes of code. Like `nativeBalanceRead`, it works only through the aggregator contract.
 */
export function accountCodeRead(account: Address): Read<{ size: bigint; head: Hex }> {
  // Creation code that stores EXTCODESIZE at 0, copies 32 bytes of the code to 32, and returns 64 bytes.
  const data: Hex = `0x73${account.slice(2).toLowerCase()}803b600052602060006020833c60406000f3`;
  return {
    to: PROGRAM,
    data,
    decode: (answer) => ({ size: hexToBigInt(slice(answer, 0, 32)), head: slice(answer, 32, 64) }),
  };
}
