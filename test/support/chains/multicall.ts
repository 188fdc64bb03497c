import {
  type Address,
  concatHex,
  decodeAbiParameters,
  getAddress,
  type Hex,
  numberToHex,
  size,
  slice,
} from "viem";
import { aggregatorCreationCode } from "../../../src/chains/aggregator/aggregator-artifact.ts";
import { listSearchCreationCode } from "../../../src/chains/aggregator/list-search-artifact.ts";
import type { ChainClient } from "../../../src/chains/chain-client.ts";
import type { ChainDefinition } from "../../../src/chains/chain-definitions.ts";
import { completeClient } from "./complete-client.ts";
import { testChain } from "./rpc-node.ts";

/** Result of a contract call: return data, revert data, or none because the call was not executed. */
export type ContractAnswer =
  | { ok: true; data: Hex }
  | { ok: false; data: Hex }
  | { ok: false; status: "not_reached" | "unknown" | "spent" };
/** Function that returns the results of contract calls. */
export type Contracts = (call: { to: Address; data: Hex }) => ContractAnswer;

/** Block fields that the aggregator returns. */
export interface BlockFields {
  chainId: number;
  number: number;
  timestamp: number;
}
/** The block that the fake client reads at. */
export const head: BlockFields = { chainId: testChain.chainId, number: 1_234, timestamp: 1_700_000_000 };

const bytes = (value: number, size: number): Hex => numberToHex(value, { size });
/** Status bytes of the aggregator's result. Source: Aggregator.sol. */
const STATUS = { failed: 0, answered: 1, not_reached: 2, unknown: 3, spent: 4 } as const;
/** Bytes of return data above which the aggregator leaves an answer out. Source: Aggregator.sol. */
const MAX_DATA = 4_096;

/** Result of reading a native balance: 10^18 wei. */
const NATIVE_BALANCE: ContractAnswer = { ok: true, data: numberToHex(10n ** 18n, { size: 32 }) };
/** Returns true if a call is the program that reads a native balance, recognized by its target and length. */
const isBalanceRead = ({ to, data }: { to: Address; data: Hex }): boolean =>
  /^0xf{40}$/i.test(to) && size(data) === 30;

/** Returns true if a call is the program that reads the block's time, recognized by its target and length. */
const isTimeRead = ({ to, data }: { to: Address; data: Hex }): boolean =>
  /^0xf{40}$/i.test(to) && data.startsWith("0x42");

/** Returns the result of an `eth_call` of the aggregator, computed as its constructor does. */
export function answerMulticall(data: Hex, world: { contracts: Contracts; block: BlockFields }): Hex {
  const { chainId, number: height, timestamp } = world.block;
  const results = callsOf(data).map((call) => {
    const answer = programAnswer(call, { ...world, timestamp }) ?? world.contracts(call);
    if ("status" in answer) return bytes(STATUS[answer.status], 1);
    if (size(answer.data) > MAX_DATA) return bytes(STATUS.unknown, 1);
    const status = answer.ok ? STATUS.answered : STATUS.failed;
    return concatHex([bytes(status, 1), bytes(size(answer.data), 2), answer.data]);
  });
  return concatHex([bytes(chainId, 8), bytes(height, 8), bytes(timestamp, 8), ...results]);
}

/** Returns the result of a read that is a program of this service. Null for a call of a contract. */
function programAnswer(
  call: { to: Address; data: Hex },
  { contracts, timestamp }: { contracts: Contracts; timestamp: number },
): ContractAnswer | null {
  if (isBalanceRead(call)) return NATIVE_BALANCE;
  if (call.data.startsWith(listSearchCreationCode)) return searchList(call.data, contracts);
  return isTimeRead(call) ? { ok: true, data: numberToHex(timestamp, { size: 32 }) } : null;
}

/** Searches a contract's list as the program does. Source: ListSearch.sol. */
function searchList(data: Hex, contracts: Contracts): ContractAnswer {
  const payload = slice(data, size(listSearchCreationCode));
  const [words, tail] = [payload.slice(2, -64), slice(payload, -32)];
  const answer = contracts({ to: getAddress(slice(tail, 0, 20)), data: slice(tail, 20, 24) });
  if (!answer.ok) return answer;
  const [list] = decodeAbiParameters([{ type: "bytes32[]" }], answer.data);
  const found = words.match(/.{64}/g)?.map((word) => list.includes(`0x${word}`)) ?? [];
  return { ok: true, data: concatHex(found.map((is) => (is ? "0x01" : "0x00"))) };
}

/** Decodes the calls in an `eth_call` of the aggregator. */
export function callsOf(data: Hex): { to: Address; data: Hex }[] {
  if (!data.startsWith(aggregatorCreationCode)) throw new Error("not the aggregator");
  const payload = slice(data, size(aggregatorCreationCode));
  const count = Number(slice(payload, -4, -2));
  let offset = 0;
  return Array.from({ length: count }, () => {
    const to = getAddress(slice(payload, offset, offset + 20));
    const start = offset + 22;
    offset = start + Number(slice(payload, offset + 20, start));
    return { to, data: slice(payload, start, offset) };
  });
}

/** A chain client without a network. */
export interface FakeClient extends ChainClient {
  readonly calls: { method: string; params: readonly unknown[] }[];
}

/** Creates a chain client whose reads are answered by the test's contracts. */
export function contractsClient(
  contracts: Contracts,
  world: { definition?: ChainDefinition; block?: BlockFields; balance?: Hex } = {},
): FakeClient {
  const calls: FakeClient["calls"] = [];
  const definition = world.definition ?? testChain;
  return completeClient({
    calls,
    definition,
    observe: () => undefined,
    async request(method: string, params: readonly unknown[]) {
      calls.push({ method, params });
      if (method === "eth_getBalance") return world.balance ?? "0x0";
      if (method !== "eth_call") throw new Error(`no answer to ${method}`);
      const [{ data }] = params as [{ data: Hex }];
      return answerMulticall(data, { contracts, block: world.block ?? head });
    },
  });
}
