import { type Hex, padHex, toEventSelector, zeroHash } from "viem";
import { expect, test } from "vitest";
import { RpcError } from "../../src/chains/json-rpc.ts";
import { findUserOperation } from "../../src/status/status-user-operation.ts";
import { entryPoints, userOperationAbi } from "../../src/tracking/deposits/track-deposit-source.ts";
import { fakeChain } from "../support/across/stage.ts";
import { wireLog } from "../support/chains/wire.ts";
import { testContext } from "../support/context.ts";

const HEAD = 50_000;
const [BUNDLE, OPERATION]: [Hex, Hex] = [padHex("0xbb", { size: 32 }), padHex("0x0b", { size: 32 })];
const ACCOUNT: Hex = `0x${"ac".repeat(20)}`;
const [, ENTRY_POINT = "0x"] = entryPoints;
const [event] = userOperationAbi();

interface Asked {
  fromBlock: Hex;
  toBlock: Hex;
  address: string[];
  topics: (string[] | null)[];
}

/** Looks for an operation in a block of a chain whose nodes answer for at most `limit` blocks. */
async function find(block: number, limit = Number.POSITIVE_INFINITY) {
  const asked: number[] = [];
  const topics: [Hex, Hex, Hex, Hex] = [
    toEventSelector(event),
    OPERATION,
    padHex(ACCOUNT, { size: 32 }),
    zeroHash,
  ];
  const log = wireLog({ address: ENTRY_POINT, topics, data: "0x" }, { block, txHash: BUNDLE });
  const client = fakeChain(8453, {
    eth_blockNumber: () => `0x${HEAD.toString(16)}`,
    eth_getLogs: ([filter]) => {
      const { fromBlock, toBlock, address, topics: wanted } = filter as Asked;
      const [from, to] = [Number(fromBlock), Number(toBlock)];
      asked.push(to - from + 1);
      if (to - from + 1 > limit) throw new RpcError("node", "query exceeds max block range");
      expect([address.length, wanted.slice(0, 2)]).toEqual([4, [[topics[0]], [OPERATION]]]);
      return block >= from && block <= to ? [log] : [];
    },
  });
  const found = await findUserOperation(testContext(), { client, operationHash: OPERATION });
  expect(found?.account ?? ACCOUNT).toBe(ACCOUNT);
  return { hash: found?.hash ?? null, asked };
}

test("a user operation of the newest 20,000 blocks is found in two requests at most", async () => {
  expect(await find(HEAD)).toEqual({ hash: BUNDLE, asked: [10_000] });
  expect(await find(HEAD - 19_999)).toEqual({ hash: BUNDLE, asked: [10_000, 10_000] });
  expect((await find(HEAD - 20_000)).hash).toBe(null);
});

test("a node with a limit is asked three times at most", async () => {
  expect(await find(HEAD - 9_999, 5_000)).toEqual({ hash: BUNDLE, asked: [10_000, 5_000, 5_000] });
  expect(await find(HEAD - 19_999, 5_000)).toEqual({ hash: null, asked: [10_000, 5_000, 5_000] });
});
