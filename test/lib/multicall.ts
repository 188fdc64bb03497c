import {
  type Address,
  decodeAbiParameters,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionResult,
  type Hex,
  numberToHex,
  parseAbi,
  parseAbiParameters,
  toFunctionSelector,
} from "viem";
import { aggregatorCreationCode } from "../../src/chains/aggregator/artifact.ts";
import type { ChainClient } from "../../src/chains/client.ts";
import type { ChainDefinition } from "../../src/chains/definition.ts";
import { testChain } from "./rpc-node.ts";
import { withAsk } from "./with-ask.ts";

const multicallAbi = parseAbi([
  "struct Call { address target; bool allowFailure; bytes callData; }",
  "struct Result { bool success; bytes returnData; }",
  "function aggregate3(Call[] calls) payable returns (Result[] returnData)",
]);
const own = (signature: string): Hex => toFunctionSelector(`function ${signature}`);
const BLOCK_NUMBER = own("getBlockNumber()");
const TIMESTAMP = own("getCurrentBlockTimestamp()");
const CHAIN_ID = own("getChainId()");

/** What one contract call gives: data, or the data it reverts with. */
export type ContractAnswer = { ok: true; data: Hex } | { ok: false; data: Hex };
export type Contracts = (call: { to: Address; data: Hex }) => ContractAnswer;

export interface BlockFields {
  chainId: number;
  number: number;
  timestamp: number;
}
export const head: BlockFields = { chainId: testChain.chainId, number: 1_234, timestamp: 1_700_000_000 };

const word = (value: number): ContractAnswer => ({ ok: true, data: numberToHex(value, { size: 32 }) });

/** Answers an `eth_call` of `aggregate3` on Multicall3 as the contract does. */
export function answerMulticall(data: Hex, world: { contracts: Contracts; block: BlockFields }): Hex {
  const { args } = decodeFunctionData({ abi: multicallAbi, data });
  const results = args[0].map((call) => {
    const answer =
      answerOwn(call.callData, world.block) ?? world.contracts({ to: call.target, data: call.callData });
    if (!answer.ok && !call.allowFailure) throw new Error("Multicall3: call failed");
    return { success: answer.ok, returnData: answer.data };
  });
  return encodeFunctionResult({ abi: multicallAbi, functionName: "aggregate3", result: results });
}

function answerOwn(data: Hex, block: BlockFields): ContractAnswer | null {
  if (data === BLOCK_NUMBER) return word(block.number);
  if (data === TIMESTAMP) return word(block.timestamp);
  return data === CHAIN_ID ? word(block.chainId) : null;
}

/** Answers a deployless `eth_call` of the Aggregator as its constructor does. */
export function answerDeployless(data: Hex, world: { contracts: Contracts; block: BlockFields }): Hex {
  if (!data.startsWith(aggregatorCreationCode)) throw new Error("not the aggregator");
  const encoded: Hex = `0x${data.slice(aggregatorCreationCode.length)}`;
  const [calls] = decodeAbiParameters(
    parseAbiParameters(["Call[]", "struct Call { address target; bytes data; }"]),
    encoded,
  );
  const results = calls.map((call) => world.contracts({ to: call.target, data: call.data }));
  const shape = parseAbiParameters([
    "uint256, uint256, uint256, Result[]",
    "struct Result { bool ok; bytes data; }",
  ]);
  const { number, timestamp, chainId } = world.block;
  return encodeAbiParameters(shape, [BigInt(number), BigInt(timestamp), BigInt(chainId), results]);
}

export interface FakeClient extends ChainClient {
  readonly calls: { method: string; params: readonly unknown[] }[];
}

/** A chain client without network: Multicall3 and the native balance come from the test's contracts. */
export function contractsClient(
  contracts: Contracts,
  world: { definition?: ChainDefinition; block?: BlockFields; balance?: Hex } = {},
): FakeClient {
  const calls: FakeClient["calls"] = [];
  const definition = world.definition ?? testChain;
  return withAsk({
    calls,
    definition,
    observe: () => undefined,
    async request(method: string, params: readonly unknown[]) {
      calls.push({ method, params });
      if (method === "eth_getBalance") return world.balance ?? "0x0";
      if (method !== "eth_call") throw new Error(`no answer to ${method}`);
      const [{ to, data }] = params as [{ to?: Address; data: Hex }];
      const seen = { contracts, block: world.block ?? head };
      return to === undefined ? answerDeployless(data, seen) : answerMulticall(data, seen);
    },
  });
}
