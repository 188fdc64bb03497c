import { type Hex, padHex } from "viem";
import { expect, test } from "vitest";
import { depositRouterAddress } from "../../../src/router/router-address.ts";
import { executedOrderTopics } from "../../../src/router/router-codec.ts";
import { findRouterDeposits } from "../../../src/tracking/deposits/find-deposit-logs.ts";
import { fakeChain } from "../../support/across/stage.ts";
import { wireLog } from "../../support/chains/wire.ts";

const word = (value: number): Hex => padHex(`0x${value.toString(16)}`, { size: 32 });
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
