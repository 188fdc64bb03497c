import { type Address, encodeFunctionData, type Hex, numberToHex, parseAbi, toFunctionSelector } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  contractsOf,
  deploy,
  type ScratchChain,
  send,
  startScratchChain,
} from "../../../scripts/stack/chains/scratch-chain.ts";
import { aggregateList } from "../../../src/chains/aggregator/aggregate-reads.ts";
import { listMembersRead } from "../../../src/chains/aggregator/list-search.ts";
import type { ChainClient } from "../../../src/chains/chain-client.ts";
import { read } from "../../../src/chains/chain-reads.ts";
import { clientOn } from "../../support/chains/rpc-node.ts";

const abi = parseAbi(["function store(uint256 number)", "function number() view returns (uint256)"]);
let chain: ScratchChain;
let client: ChainClient;
let lists: Address;

beforeAll(async () => {
  chain = await startScratchChain();
  lists = await deploy(chain, contractsOf("test/support/solidity/LongLists.sol")("LongLists").creationCode);
  ({ client } = clientOn([{ url: String(chain.node.transport["url"]) }]));
});
afterAll(() => chain?.stop());

const word = (value: number): Hex => numberToHex(value, { size: 32 });
const search = (name: string, values: readonly number[], to = lists) =>
  listMembersRead({ to, selector: toFunctionSelector(`${name}()`) }, values.map(word));

/** Makes the reads together with one of a number, which none of them may keep from its answer. */
async function readAll(reads: readonly ReturnType<typeof search>[]) {
  const number = read({ to: lists, abi, name: "number" });
  const { results } = await aggregateList(client, [...reads, number]);
  expect(results.at(-1)).toEqual({ ok: true, value: 1n });
  return results.slice(0, -1).map((result) => (result.ok ? result.value : null));
}

test("listMembersRead() finds words in lists of any length, and tells each apart", async () => {
  expect(
    await readAll([
      search("none", [1]),
      search("long", [1, 2_000, 2_001, 0, 1_000]),
      search("long", []),
      search("storedList", [1]),
    ]),
  ).toEqual([[false], [true, true, false, false, true], [], [false]]);
});

test("listMembersRead() finds words in a stored list of more than 4,096 bytes", async () => {
  for (let round = 0; round < 4; round += 1) {
    const data = encodeFunctionData({ abi, functionName: "store", args: [200n] });
    await send(chain, { to: lists, data, gas: 20_000_000n });
  }
  expect(await readAll([search("storedList", [800, 801, 1])])).toEqual([[true, false, true]]);
});

test("listMembersRead() fails for what is no list, and leaves the other reads their gas", async () => {
  const names = ["short", "endless", "number", "pair", "refusing", "burning", "huge"];
  const nobody: Address = "0x00000000000000000000000000000000000a11ce";
  const reads = [...names.map((name) => search(name, [1])), search("long", [1], nobody)];
  expect(await readAll(reads)).toEqual(reads.map(() => null));
});
