import { z } from "@hono/zod-openapi";
import {
  type Address,
  concatHex,
  decodeAbiParameters,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  parseAbi,
} from "viem";
import { failureFrom } from "../errors.ts";
import { once } from "../lib/once.ts";
import { aggregatorCreationCode } from "./aggregator/artifact.ts";
import type { ChainClient, HeadReport } from "./client.ts";
import { RpcError } from "./json-rpc.ts";
import type { Read, ReadResult, ReadResults } from "./read.ts";

/** The block that a set of reads was made at. */
export interface BlockRef {
  number: number;
  /** Seconds since the epoch. */
  timestamp: number;
}

interface RawResult {
  ok: boolean;
  data: Hex;
}

/** Calls per request through Multicall3: far below what nodes grant one `eth_call`. */
const MULTICALL_SLICE = 400;
/** Calls per request without it: 24,576 bytes of answer at up to 160 bytes each (EIP-170). */
const DEPLOYLESS_SLICE = 140;
/** Arbitrum's own block number; `block.number` there is Ethereum's. Source: Arbitrum ArbSys precompile. */
const ARB_SYS: Address = "0x0000000000000000000000000000000000000064";
const ARBITRUM_ONE = 42161;

/** Stands for a program of ours among calls without a destination: its data is creation code. Source: Aggregator.sol. */
const PROGRAM: Address = "0xffffffffffffffffffffffffffffffffffffffff";
/** The most that creation code and its arguments may weigh together, in bytes. Source: EIP-3860. */
const MAX_INITCODE_BYTES = 49_152;

const multicallAbi = once(() =>
  parseAbi([
    "struct Call { address target; bool allowFailure; bytes callData; }",
    "struct Result { bool success; bytes returnData; }",
    "function aggregate3(Call[] calls) payable returns (Result[] returnData)",
    "function getBlockNumber() view returns (uint256)",
    "function getCurrentBlockTimestamp() view returns (uint256)",
    "function getChainId() view returns (uint256)",
    "function arbBlockNumber() view returns (uint256)",
  ]),
);
const RESULTS = [
  {
    type: "tuple[]",
    components: [
      { name: "ok", type: "bool" },
      { name: "data", type: "bytes" },
    ],
  },
] as const;
const AnswerHex = z.string().regex(/^0x([0-9a-fA-F]{2})*$/);

/**
 * Makes many reads of one chain in as few requests as fit, each read failing on its own.
 * All reads of one slice see the same block; the returned block is the first slice's.
 * Throws `upstream_unavailable` or `upstream_timeout`.
 */
export async function aggregate<R extends Record<string, Read<unknown>>>(
  client: ChainClient,
  reads: R,
): Promise<{ block: BlockRef; results: ReadResults<R> }> {
  const names = Object.keys(reads);
  const calls = names.flatMap((name) => reads[name] ?? []);
  const { block, raw } = await aggregateRaw(client, calls);
  const results = Object.fromEntries(names.map((name, i) => [name, settle(calls[i], raw[i])]));
  return { block, results: results as ReadResults<R> };
}

/** As `aggregate`, for a plain list of reads. */
export async function aggregateList(
  client: ChainClient,
  reads: readonly Read<unknown>[],
): Promise<{ block: BlockRef; results: ReadResult<unknown>[] }> {
  const { block, raw } = await aggregateRaw(client, reads);
  return { block, results: reads.map((read, i) => settle(read, raw[i])) };
}

/** A program that exists only inside an `eth_call`: creation code that returns its answer, and who reads that. */
export interface Program<T> {
  code: Hex;
  read: (answer: Hex, seen: (report: HeadReport) => void) => T;
}

/**
 * Runs a program, and makes reads beside it, in one request and at one block; null when they are too large for one,
 * or the program gave no answer. Throws what the chain client throws.
 */
export async function aggregateProgram<T>(
  client: ChainClient,
  asked: { program: Program<T>; reads: Record<string, Read<unknown>> },
): Promise<{ answer: T; results: Record<string, ReadResult<unknown>> } | null> {
  const { program } = asked;
  const names = Object.keys(asked.reads);
  const reads = Object.values(asked.reads);
  const { data } = deploylessCall([{ to: PROGRAM, data: program.code }, ...reads]);
  if ((data.length - 2) / 2 > MAX_INITCODE_BYTES) return null;
  return client.ask({
    method: "eth_call",
    params: [{ data }, "latest"],
    read: (told, seen) => {
      const { raw } = readDeployless(AnswerHex.parse(told) as Hex);
      const [first, ...others] = raw;
      if (others.length !== reads.length) throw new RangeError("the answer has another number of results");
      if (first === undefined || !first.ok) return null;
      const results = names.map((name, i) => [name, settle(reads[i], others[i])] as const);
      return { answer: program.read(first.data, seen), results: Object.fromEntries(results) };
    },
  });
}

function settle(read: Read<unknown> | undefined, raw: RawResult | undefined): ReadResult<unknown> {
  if (read === undefined || raw === undefined || !raw.ok) return { ok: false, revert: raw?.data ?? null };
  try {
    return { ok: true, value: read.decode(raw.data) };
  } catch {
    return { ok: false, revert: null };
  }
}

async function aggregateRaw(client: ChainClient, calls: readonly Read<unknown>[]) {
  const size = client.definition.multicall3 === null ? DEPLOYLESS_SLICE : MULTICALL_SLICE;
  const slices: Read<unknown>[][] = [];
  for (let start = 0; start < Math.max(calls.length, 1); start += size)
    slices.push(calls.slice(start, start + size));
  const answers = await Promise.all(slices.map((slice) => askSlice(client, slice)));
  const first = answers[0];
  if (first === undefined) throw new RangeError("no slice");
  return { block: first.block, raw: answers.flatMap((answer) => answer.raw) };
}

async function askSlice(
  client: ChainClient,
  slice: readonly Read<unknown>[],
): Promise<{ block: BlockRef; raw: RawResult[] }> {
  const { multicall3, chainId, name } = client.definition;
  const request = multicall3 === null ? deploylessCall(slice) : multicallCall(multicall3, { slice, chainId });
  try {
    return await client.ask({
      method: "eth_call",
      params: [request, "latest"],
      read: (told, seen) => {
        const data = AnswerHex.parse(told) as Hex;
        const answer = multicall3 === null ? readDeployless(data) : readMulticall(data);
        if (answer.raw.length !== slice.length)
          throw new RangeError("the answer has another number of results");
        seen({ chainId: answer.chainId, blockNumber: answer.block.number });
        return answer;
      },
    });
  } catch (error) {
    if (error instanceof Error && error.name === "AppError") throw error;
    const detail = error instanceof RpcError ? "refused a read" : "gave an unusable answer";
    throw failureFrom("upstream_unavailable", `a node of ${name} ${detail}`, error);
  }
}

function multicallCall(multicall3: Address, input: { slice: readonly Read<unknown>[]; chainId: number }) {
  const own = (name: "getCurrentBlockTimestamp" | "getChainId" | "getBlockNumber") => ({
    target: multicall3,
    allowFailure: false,
    callData: encodeFunctionData({ abi: multicallAbi(), functionName: name }),
  });
  const arbSys = {
    target: ARB_SYS,
    allowFailure: false,
    callData: encodeFunctionData({ abi: multicallAbi(), functionName: "arbBlockNumber" }),
  };
  const blockNumber = input.chainId === ARBITRUM_ONE ? arbSys : own("getBlockNumber");
  const calls = input.slice.map((call) => ({ target: call.to, allowFailure: true, callData: call.data }));
  const args = [[blockNumber, own("getCurrentBlockTimestamp"), own("getChainId"), ...calls]] as const;
  return {
    to: multicall3,
    data: encodeFunctionData({ abi: multicallAbi(), functionName: "aggregate3", args }),
  };
}

function readMulticall(data: Hex) {
  const [results] = decodeAbiParameters(RESULTS, data);
  const [number, timestamp, chainId, ...raw] = results;
  return {
    block: { number: wordOf(number), timestamp: wordOf(timestamp) },
    chainId: wordOf(chainId),
    raw: raw.map(({ ok, data: returned }) => ({ ok, data: returned })),
  };
}

function wordOf(result: RawResult | undefined): number {
  const value = Number(BigInt(result?.data ?? ""));
  if (!Number.isSafeInteger(value)) throw new RangeError("not a block field");
  return value;
}

function deploylessCall(slice: readonly Pick<Read<unknown>, "to" | "data">[]) {
  const components = [
    { name: "target", type: "address" },
    { name: "data", type: "bytes" },
  ] as const;
  const calls = slice.map((call) => ({ target: call.to, data: call.data }));
  return {
    data: concatHex([
      aggregatorCreationCode,
      encodeAbiParameters([{ type: "tuple[]", components }], [calls]),
    ]),
  };
}

function readDeployless(data: Hex) {
  const shape = [{ type: "uint256" }, { type: "uint256" }, { type: "uint256" }, RESULTS[0]] as const;
  const [number, timestamp, chainId, results] = decodeAbiParameters(shape, data);
  return {
    block: { number: Number(number), timestamp: Number(timestamp) },
    chainId: Number(chainId),
    raw: results.map(({ ok, data: returned }) => ({ ok, data: returned })),
  };
}
