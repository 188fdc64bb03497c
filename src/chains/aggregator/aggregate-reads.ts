import { type Address, concatHex, encodePacked, type Hex, hexToBigInt, size, slice } from "viem";
import { failureFrom } from "../../errors.ts";
import type { BlockTime } from "../../lib/block-ranges.ts";
import type { ChainClient, NodeReport } from "../chain-client.ts";
import type { Query, Read, ReadResult, ReadResults } from "../chain-reads.ts";
import { RpcError } from "../json-rpc.ts";
import { RpcData, RpcQuantity } from "../rpc-values.ts";
import { aggregatorCreationCode } from "./aggregator-artifact.ts";

/**
 * Maximum number of attempts at a read. A request that runs out of gas or space leaves its remaining reads to the next
 * attempt.
 */
const ROUNDS = 6;
/** Gas limit for repeating a read that ran out of gas: what most nodes allow for one `eth_call`, minus the overhead. */
const LAST_GAS = 20_000_000;

/**
 * Makes many view calls on one chain in as few `eth_call` requests as possible, at most 300 calls each. The calls are
 * independent: gas use, a revert or malformed return data of one does not affect the others. Each may use three million
 * gas, and one that ran out of it is repeated with 20 million. All calls of one request see the same block; the
 * returned block is that of the first request. Throws `upstream_unavailable` or `upstream_timeout`.
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
 * Makes a list of view calls as `aggregate` does and returns their results in the same order, with the block of the
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
  const spent = asked.filter(({ result }) => result?.status === "spent");
  if (spent.length > 0) await readAll(client, { open: spent, callGas: LAST_GAS });
  return { block, results: asked.map((one) => settleRead(one, one.result)) };
}

/**
 * Contract creation code that runs in an `eth_call` and is never deployed, with the decoder of the data it returns.
 * `read` passes the chain id and head that the data contain to `seen`, and throws if the data are malformed.
 */
export interface Program<T> {
  code: Hex;
  read: (answer: Hex, seen: (report: NodeReport) => void) => T;
}

/**
 * Runs a program (creation code in an `eth_call`) and makes view calls in the same request, hence at the same block.
 * Returns null if they do not fit into one request, the program failed or returned more data than the aggregator
 * copies, or a call was not reached. Errors of the chain client propagate.
 */
export async function aggregateProgram<T>(
  client: ChainClient,
  asked: { program: Program<T>; reads: Record<string, Read<unknown>> },
): Promise<{ answer: T; results: Record<string, ReadResult<unknown>> } | null> {
  const { program } = asked;
  const names = Object.keys(asked.reads);
  const reads = Object.values(asked.reads);
  const calls = [{ to: PROGRAM, data: program.code }, ...reads];
  if (!fitsOneRequest(calls)) return null;
  return client.ask({
    method: "eth_call",
    params: [{ data: encodeCalls(calls) }, "latest"],
    read: (response, seen) => {
      const [first, ...others] = decodeResults(RpcData.parse(response), calls.length).results;
      if (first?.status !== "answered" || others.some(({ status }) => status === "not_reached")) return null;
      const results = names.map((name, i) => [name, settleRead(reads[i], others[i] ?? null)] as const);
      return { answer: program.read(first.data, seen), results: Object.fromEntries(results) };
    },
  });
}

/** A read with its result, which is null until the read has been made. */
type PendingRead = Read<unknown> & { result: CallResult | null };

/**
 * Returns the reads that were not reached, because their request ran out of gas or space. Reads of contracts that used
 * up their gas limit come last, because they may again leave no gas for the others.
 */
function unreached(asked: readonly PendingRead[]): PendingRead[] {
  const open = asked.filter(({ result }) => result?.status === "not_reached");
  const burning = new Set(asked.flatMap(({ to, result }) => (result?.status === "spent" ? [to] : [])));
  return [...open.filter(({ to }) => !burning.has(to)), ...open.filter(({ to }) => burning.has(to))];
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

function settleRead(read: Read<unknown> | undefined, result: CallResult | null): ReadResult<unknown> {
  if (read === undefined || result === null || !("data" in result)) return { ok: false, revert: null };
  if (result.status === "failed") return { ok: false, revert: result.data };
  try {
    return { ok: true, value: read.decode(result.data) };
  } catch {
    return { ok: false, revert: null };
  }
}

/**
 * Runs a query with its further batches, each batch in as few requests as possible. Returns the query's result and the
 * block of the first batch. Throws `upstream_unavailable` or `upstream_timeout`; errors of the query's own functions
 * propagate.
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
 * Creates a read of an account's balance of the native currency, in wei, for a batch. The read fails in a batch that
 * runs without the aggregator contract.
 */
export function nativeBalanceRead(account: Address): Read<bigint> {
  // Creation code that returns the balance: push the account, BALANCE, store it at 0, return 32 bytes.
  const data: Hex = `0x73${account.slice(2).toLowerCase()}3160005260206000f3`;
  return { to: PROGRAM, data, decode: (answer) => hexToBigInt(answer) };
}

/**
 * Creates a read of an account's code for a batch: its size in bytes and its first 32 bytes, padded with zeros. For an
 * account with an EIP-7702 delegation, the code is the 23-byte delegation designator. The read fails in a batch that
 * runs without the aggregator contract.
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

/** A view call for the aggregator contract: the contract to call and the calldata. */
export interface AggregatedCall {
  to: Address;
  data: Hex;
}

/**
 * Target address that marks a call of the batch whose data is creation code to run, instead of calldata. Source:
 * Aggregator.sol.
 */
export const PROGRAM: Address = "0xffffffffffffffffffffffffffffffffffffffff";
/** Maximum size of creation code and payload together, in bytes. Source: EIP-3860. */
const MAX_INITCODE_BYTES = 49_152;
/** Size of the payload's trailer, and of a call without its data, in bytes. Source: Aggregator.sol. */
const TAIL_BYTES = 8;
const CALL_BYTES = 22;
/**
 * Maximum number of calls in one request: the 24,576 bytes that creation code can return (EIP-170), at up to 78 bytes
 * per result. Calls whose results do not fit are made again.
 */
export const MAX_CALLS = 300;
/** Gas limit of one call. Vaults that allocate to many markets use several hundred thousand gas. */
const CALL_GAS = 3_000_000;

/** Bytes available for calls next to the aggregator's creation code. */
const ROOM = MAX_INITCODE_BYTES - size(aggregatorCreationCode) - TAIL_BYTES;
const weightOf = ({ data }: AggregatedCall): number => CALL_BYTES + size(data);

/** Returns true if the calls fit into one request. */
function fitsOneRequest(calls: readonly AggregatedCall[]): boolean {
  return calls.reduce((sum, call) => sum + weightOf(call), 0) <= ROOM;
}

/**
 * Splits calls, in order, into slices that each fit into one request. For no calls it returns one empty slice, because
 * the caller still needs the block that the request reports.
 */
function sliceCalls<C extends AggregatedCall>(calls: readonly C[]): C[][] {
  let last: C[] = [];
  const slices = [last];
  let room = ROOM;
  for (const call of calls) {
    if (last.length === MAX_CALLS || weightOf(call) > room) {
      last = [];
      slices.push(last);
      room = ROOM;
    }
    last.push(call);
    room -= weightOf(call);
  }
  return slices;
}

/** Encodes the data of an `eth_call` without `to` that makes the calls, each with at most `callGas` gas. */
function encodeCalls(calls: readonly AggregatedCall[], callGas = CALL_GAS): Hex {
  const entries = concatHex(
    calls.map(({ to, data }) => encodePacked(["address", "uint16", "bytes"], [to, size(data), data])),
  );
  const tail = encodePacked(["uint32", "uint16", "uint16"], [callGas, calls.length, size(entries)]);
  return concatHex([aggregatorCreationCode, entries, tail]);
}

/**
 * The result of one aggregated call. `unknown`: the return data is longer than the aggregator copies; `not_reached`:
 * there was no gas or space left for the call; `spent`: the call failed after using most of its gas.
 */
type CallResult =
  | { status: "failed" | "answered"; data: Hex }
  | { status: "unknown" | "not_reached" | "spent" };

/**
 * The results of one aggregator request, with chain id and block. `blockNumber` is null if the chain does not return
 * it.
 */
interface AggregatedAnswer {
  chainId: number;
  blockNumber: number | null;
  /** Block timestamp, in seconds since the epoch. */
  timestamp: number;
  results: CallResult[];
}

/** Result statuses by their status byte. Source: Aggregator.sol. */
const STATUSES = ["failed", "answered", "not_reached", "unknown", "spent"] as const;
const HEAD_BYTES = 24;
const UNKNOWN_BLOCK = 2n ** 64n - 1n;

/**
 * Decodes the data that the aggregator returned for `count` calls. Throws an Error if the data is too short or too
 * long, contains an unknown status, or a block field is not a safe integer.
 */
function decodeResults(answer: Hex, count: number): AggregatedAnswer {
  const total = (answer.length - 2) / 2;
  let offset = HEAD_BYTES;
  const take = (bytes: number): Hex => {
    offset += bytes;
    if (offset > total) throw new RangeError(`the answer ends at byte ${total}, not ${offset} or later`);
    return bytes === 0 ? "0x" : slice(answer, offset - bytes, offset);
  };
  const field = (index: number): bigint => BigInt(slice(answer, index * 8, index * 8 + 8));
  const height = field(1);
  const head = {
    chainId: safe(field(0)),
    blockNumber: height === UNKNOWN_BLOCK ? null : safe(height),
    timestamp: safe(field(2)),
  };
  const results = Array.from({ length: count }, (): CallResult => {
    const status = STATUSES[Number(take(1))];
    if (status === undefined) throw new RangeError("the answer has an unknown status");
    return status === "failed" || status === "answered"
      ? { status, data: take(Number(take(2))) }
      : { status };
  });
  if (offset !== total) throw new RangeError(`the answer has ${total} bytes, not ${offset}`);
  return { ...head, results };
}

function safe(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError("not a block field");
  return number;
}
