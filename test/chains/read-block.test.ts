import { describe, expect, test } from "vitest";
import { readBlock, readHeadNumber } from "../../src/chains/read-block.ts";
import { clientOn, startHonestNode } from "../support/chains/rpc-node.ts";
import { blockHashOf, wireBlock } from "../support/chains/wire.ts";

const nodeWith = (answer: unknown) => {
  const asked: unknown[] = [];
  const request = async (method: string, params: readonly unknown[]) => {
    asked.push([method, ...params]);
    return answer;
  };
  return { request, asked };
};

describe("readBlock()", () => {
  test.each<[number | "latest" | "finalized", string]>([
    [16, "0x10"],
    ["latest", "latest"],
    ["finalized", "finalized"],
  ])("requests the header of block %s without transactions", async (block, tag) => {
    const node = nodeWith({
      ...wireBlock(16, 1_700_000_000),
      hash: blockHashOf(16).toUpperCase().replace("0X", "0x"),
    });
    expect(await readBlock(node, block)).toEqual({
      number: 16,
      hash: blockHashOf(16),
      timestamp: 1_700_000_000,
    });
    expect(node.asked).toEqual([["eth_getBlockByNumber", tag, false]]);
  });

  test.each([
    ["an unknown block", null],
    ["another block", wireBlock(15, 1)],
    ["a timestamp after the year 9999", wireBlock(16, 253_402_300_800)],
    ["a header without hash", { number: "0x10", timestamp: "0x1" }],
  ])("throws OutsideError for %s", async (_, answer) => {
    await expect(readBlock(nodeWith(answer), 16)).rejects.toMatchObject({
      name: "OutsideError",
      kind: "malformed",
    });
  });
});

test("readHeadNumber() asks the next node if one answers no block number", async () => {
  const broken = await startHonestNode(() => ({ result: null }));
  const fine = await startHonestNode(() => ({ result: "0x10" }));
  expect(await readHeadNumber(clientOn([broken, fine]).client)).toBe(16);
});
