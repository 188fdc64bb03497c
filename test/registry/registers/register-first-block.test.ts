import { describe, expect, test } from "vitest";
import { findFirstBlock } from "../../../src/registry/registers/register-first-block.ts";
import { completeClient } from "../../support/chains/complete-client.ts";
import { clientOn, type RpcAnswer, startHonestNode, testChain } from "../../support/chains/rpc-node.ts";

const REGISTER = { address: `0x${"77".repeat(20)}` } as const;
const HEAD = 400_000_000;

/** A node of a chain on which the reference contract and the register have code from the given blocks on. */
function nodeOf(of: { reference: number; register: number }) {
  const probed: number[] = [];
  const client = completeClient({
    definition: testChain,
    observe: () => undefined,
    async request(_method: string, [, block]: readonly unknown[]) {
      const number = Number(block);
      probed.push(number);
      const flag = (from: number) => (number >= from ? "01" : "00");
      return `0x${flag(of.reference)}${flag(of.register)}`;
    },
  });
  return { client, probed };
}

describe("findFirstBlock()", () => {
  test.each([1, 1_024, 123_456_789, HEAD])(
    "finds block %i, never too late, within 32 requests",
    async (first) => {
      const { client, probed } = nodeOf({ reference: 0, register: first });
      const found = await findFirstBlock(client, { register: REGISTER, head: HEAD });
      expect(found).toBeLessThanOrEqual(first);
      expect(found).toBeGreaterThan(first - 1_025);
      expect(probed.length).toBeLessThanOrEqual(32);
    },
  );

  test("refuses an address without code", async () => {
    const { client } = nodeOf({ reference: 0, register: HEAD + 1 });
    const finding = findFirstBlock(client, { register: REGISTER, head: HEAD });
    await expect(finding).rejects.toThrow("no contract at the register's address");
  });

  test("does not believe a node that does not show the reference contract: it starts early instead", async () => {
    const { client, probed } = nodeOf({ reference: HEAD, register: HEAD });
    expect(await findFirstBlock(client, { register: REGISTER, head: HEAD })).toBe(0);
    expect(probed).toEqual([HEAD, HEAD / 2 - 1, HEAD, HEAD / 2 - 1]);
  });

  test.each<[string, RpcAnswer]>([
    ["answers nothing", { result: null }],
    ["answers for another number of contracts", { result: "0x01" }],
    ["lacks the reference contract", { result: "0x0000" }],
    ["has pruned the state", { error: { code: -32000, message: "missing trie node" } }],
  ])("asks the next node if one %s", async (_what, answer) => {
    const first = 123_456_789;
    const useless = await startHonestNode(() => answer);
    const useful = await startHonestNode(({ params: [, block] }) => ({
      result: Number(block) >= first ? "0x0101" : "0x0100",
    }));
    const { client } = clientOn([useless, useful]);
    const found = await findFirstBlock(client, { register: REGISTER, head: HEAD });
    expect(found).toBeLessThanOrEqual(first);
    expect(found).toBeGreaterThan(first - 1_025);
  });

  test("starts early if every node has pruned the state of old blocks", async () => {
    const pruned = await startHonestNode(({ params: [, block] }) =>
      Number(block) > HEAD - 128
        ? { result: "0x0101" }
        : { error: { code: -32000, message: "missing trie node 0x5a" } },
    );
    expect(await findFirstBlock(clientOn([pruned]).client, { register: REGISTER, head: HEAD })).toBe(0);
  });

  test("does not start early because of one failure of the node", async () => {
    const first = 123_456_789;
    let requests = 0;
    const node = await startHonestNode(({ params: [, block] }) => {
      requests += 1;
      if (requests === 5) return { error: { code: -32603, message: "internal error" } };
      return { result: Number(block) >= first ? "0x0101" : "0x0100" };
    });
    const found = await findFirstBlock(clientOn([node]).client, { register: REGISTER, head: HEAD });
    expect(found).toBeLessThanOrEqual(first);
    expect(found).toBeGreaterThan(first - 1_025);
  });

  test("does not start early if the node keeps failing, also at the head", async () => {
    let requests = 0;
    const node = await startHonestNode(() => {
      requests += 1;
      return requests < 5 ? { result: "0x0101" } : { error: { code: -32603, message: "internal error" } };
    });
    const finding = findFirstBlock(clientOn([node]).client, { register: REGISTER, head: HEAD });
    await expect(finding).rejects.toMatchObject({ code: "upstream_unavailable" });
  });

  test.each<[string, RpcAnswer]>([
    ["limit the rate of requests", { error: { code: -32005, message: "too many requests" } }],
    ["answer nothing usable", { result: null }],
  ])("does not start early if the nodes %s", async (_what, answer) => {
    const node = await startHonestNode(({ params: [, block] }) =>
      Number(block) === HEAD ? { result: "0x0101" } : answer,
    );
    const finding = findFirstBlock(clientOn([node]).client, { register: REGISTER, head: HEAD });
    await expect(finding).rejects.toThrow();
  });
});
