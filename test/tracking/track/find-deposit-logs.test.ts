import { type Hex, padHex } from "viem";
import { describe, expect, test } from "vitest";
import { RpcError } from "../../../src/chains/json-rpc.ts";
import { depositRouterAddress } from "../../../src/router/router-address.ts";
import { executedOrderTopics } from "../../../src/router/router-codec.ts";
import { findRouterDeposits, findTransfers } from "../../../src/tracking/track/find-deposit-logs.ts";
import { fakeChain } from "../../support/across/stage.ts";
import { wireLog } from "../../support/chains/wire.ts";

const word = (value: number): Hex => padHex(`0x${value.toString(16)}`, { size: 32 });
const [TOKEN, USER] = [padHex("0xa1", { size: 20 }), padHex("0xb2", { size: 20 })];
interface Asked {
  fromBlock: Hex;
  toBlock: Hex;
  address: string[];
  topics: (string[] | null)[];
}

/** A chain whose nodes return these logs where a request's range and addresses match. */
function chainWith(logs: readonly (ReturnType<typeof wireLog> & { address: Hex })[], head = 50_000) {
  const asked: Asked[] = [];
  const client = fakeChain(8453, {
    eth_blockNumber: () => `0x${head.toString(16)}`,
    eth_getLogs: ([filter]) => {
      const query = filter as Asked;
      asked.push(query);
      return logs.filter(
        ({ address, blockNumber }) =>
          query.address.includes(address) &&
          Number(blockNumber) >= Number(query.fromBlock) &&
          Number(blockNumber) <= Number(query.toBlock),
      );
    },
  });
  return { client, asked };
}

describe("findTransfers()", () => {
  const [TRANSFER] = ["0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef" as Hex];
  const transfer = (block: number, amount: number) =>
    wireLog(
      { address: TOKEN, topics: [TRANSFER, padHex(USER, { size: 32 }), word(9)], data: word(amount) },
      { block, txHash: word(block) },
    );
  const search = { tokens: [TOKEN], party: { from: USER }, head: 50_000 } as const;

  test("returns transactions of matching amounts, the oldest first, by sender in the second topic", async () => {
    const { client, asked } = chainWith([transfer(49_999, 5), transfer(40_000, 5), transfer(41_000, 6)]);
    expect(await findTransfers(client, { ...search, amounts: [5n], from: 39_000 })).toEqual([
      word(40_000),
      word(49_999),
    ]);
    expect(asked[0]?.topics.slice(0, 2)).toEqual([[TRANSFER], [padHex(USER, { size: 32 })]]);
    expect(asked.every(({ fromBlock, toBlock }) => Number(toBlock) - Number(fromBlock) < 2_000)).toBe(true);
  });

  test("searches 16,000 blocks below the head at most", async () => {
    const { client, asked } = chainWith([transfer(34_000, 5), transfer(34_001, 5)]);
    expect(await findTransfers(client, { ...search, amounts: null, from: 0 })).toEqual([word(34_001)]);
    expect(asked).toHaveLength(8);
  });

  test("returns nothing when nodes refuse, and throws other failures", async () => {
    const refusing = (error: Error) =>
      fakeChain(8453, {
        eth_getLogs: () => {
          throw error;
        },
      });
    const query = { ...search, amounts: null, from: 49_000 };
    expect(await findTransfers(refusing(new RpcError("node", "429 too many requests")), query)).toEqual([]);
    await expect(findTransfers(refusing(new Error("down")), query)).rejects.toThrow("down");
  });
});

test("findRouterDeposits() returns the newest transaction of each reference in the last blocks", async () => {
  const [deposited = []] = executedOrderTopics();
  const log = (block: number, ref: number) =>
    wireLog(
      {
        address: depositRouterAddress.toLowerCase() as Hex,
        topics: [...deposited, word(ref)],
        data: "0x" as Hex,
      },
      { block, txHash: word(block) },
    );
  const { client, asked } = chainWith([log(49_500, 1), log(49_900, 1), log(49_600, 2), log(48_999, 3)]);
  const refs = [word(1), word(2), word(3)];
  expect(await findRouterDeposits(client, { refs, blocks: 1_000 })).toEqual(
    new Map([
      [word(1), word(49_900)],
      [word(2), word(49_600)],
    ]),
  );
  expect(asked.map(({ topics }) => topics)).toEqual([[deposited, refs]]);
});
