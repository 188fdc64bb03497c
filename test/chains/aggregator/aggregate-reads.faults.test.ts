import { type Address, type Hex, numberToHex, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import { aggregate, aggregateList } from "../../../src/chains/aggregator/aggregate-reads.ts";
import { MAX_CALLS } from "../../../src/chains/aggregator/aggregator-codec.ts";
import { read } from "../../../src/chains/chain-reads.ts";
import { answerMulticall, type Contracts, contractsClient, head } from "../../support/chains/multicall.ts";
import { clientOn, type RpcAnswer, startHonestNode } from "../../support/chains/rpc-node.ts";

const abi = parseAbi(["function value() view returns (uint256)"]);
const address = (n: number): Address => numberToHex(n, { size: 20 });
const value = (n: number) => read({ to: address(n), abi, name: "value" });
const tens: Contracts = ({ to }) => ({ ok: true, data: numberToHex(BigInt(to) * 10n, { size: 32 }) });
const answered = ({ params }: { params: readonly unknown[] }, block = head): RpcAnswer => {
  const [{ data }] = params as [{ data: Hex }];
  return { result: answerMulticall(data, { contracts: tens, block }) };
};
describe("aggregate() with an unusable answer", () => {
  test.each<[string, (call: { params: readonly unknown[] }) => RpcAnswer]>([
    ["null", () => ({ result: null })],
    ["nothing", () => ({ result: "0x" })],
    ["garbage", () => ({ result: "0xzz" })],
    ["another chain's answer", (call) => answered(call, { ...head, chainId: 1 })],
    ["a block after the year 9999", (call) => answered(call, { ...head, timestamp: 253_402_300_800 })],
  ])("asks the next node: %s", async (_what, answer) => {
    const [broken, fine] = [await startHonestNode(answer), await startHonestNode(answered)];
    const { client, health, clock } = clientOn([broken, fine]);
    const { results } = await aggregate(client, { a: value(1) });
    expect(results.a).toEqual({ ok: true, value: 10n });
    expect(health.order([broken.url, fine.url], clock.now)).toEqual([fine.url, broken.url]);
    expect(health.isVerified(broken.url)).toBe(false);
  });
});

describe("aggregate() with a truncated answer", () => {
  test("refuses it: values never move to another read", async () => {
    let asked = 0;
    const inner = contractsClient(tens);
    const client = {
      ...inner,
      request: async (method: string, params: readonly unknown[]) => {
        asked += 1;
        const isFirst = asked === 1;
        const answer = await inner.request(method, params);
        return isFirst ? (answer as Hex).slice(0, -2 * 35) : answer;
      },
    };
    const reads = Array.from({ length: MAX_CALLS + 1 }, (_, index) => value(index + 1));
    await expect(aggregateList(client, reads)).rejects.toMatchObject({ code: "upstream_unavailable" });
  });
});

describe("aggregate() twice at the same time", () => {
  test("never takes one node's chain id for another's", async () => {
    // The first node answers a read late; meanwhile another request fails there and is tried on the second, whose
    // chain is another: what the late answer proves, it proves of the first node.
    const slow = await startHonestNode((call): RpcAnswer => {
      if (call.method !== "eth_call") return { fault: "status_500" };
      return { ...(answered(call) as { result: unknown }), afterMs: 150 };
    });
    const liar = await startHonestNode(() => ({ fault: "status_500" }), 1);
    const { client, health } = clientOn([slow, liar]);
    const [read] = await Promise.all([
      aggregate(client, { a: value(1) }),
      client.request("eth_getBalance", []).catch(() => null),
    ]);
    expect(read.results.a).toEqual({ ok: true, value: 10n });
    expect([health.isVerified(slow.url), health.isVerified(liar.url)]).toEqual([true, false]);
  });
});
