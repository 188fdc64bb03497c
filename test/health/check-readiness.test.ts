import { expect, onTestFinished, test, vi } from "vitest";
import { RpcError } from "../../src/chains/json-rpc.ts";
import { checkReadiness } from "../../src/health/check-readiness.ts";
import { contractsClient } from "../support/chains/multicall.ts";
import { clientOn, startHonestNode } from "../support/chains/rpc-node.ts";
import { testContext } from "../support/context.ts";
import { fixedDatabase } from "../support/withdrawals/withdrawing.ts";

test("checkReadiness() names a chain whose nodes refuse unavailable, and not the store", async () => {
  const client = contractsClient(() => ({ ok: false, data: "0x" }));
  const request = () => Promise.reject(new RpcError("unsupported", "eth_blockNumber"));
  const ctx = testContext({ db: fixedDatabase(() => []), clients: [{ ...client, request }] });
  const { dependencies: shown } = await checkReadiness(ctx);
  expect(shown.find(({ name }) => name === `chain:${client.definition.chainId}`)).toMatchObject({
    ...{ ok: false, code: "upstream_unavailable" },
  });
});

test("a node with a malformed head is not ready, and the next node tells the head of the chain", async () => {
  const [bad, good] = await Promise.all([
    startHonestNode(() => ({ result: null })),
    startHonestNode(() => ({ result: "0x10" })),
  ]);
  const read = async (nodes: readonly { url: string }[]) => {
    const { client } = clientOn(nodes);
    const ctx = testContext({ db: fixedDatabase(() => []), clients: [client] });
    const { indexes, dependencies: shown } = await checkReadiness(ctx);
    const [index] = indexes;
    const chain = shown.find(({ name }) => name === `chain:${client.definition.chainId}`);
    return { head: index?.head, ok: chain?.ok, code: chain?.code };
  };
  expect(await read([bad, good])).toEqual({ head: 16, ok: true, code: null });
  expect(await read([bad])).toEqual({ head: null, ok: false, code: "upstream_unavailable" });
});

test("checkReadiness() reports a chain that does not respond within two and a half seconds", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const client = contractsClient(() => ({ ok: false, data: "0x" }));
  const hanging = { ...client, request: () => new Promise<never>(() => undefined) };
  const report = checkReadiness(testContext({ db: fixedDatabase(() => []), clients: [hanging] }));
  await vi.advanceTimersByTimeAsync(2_500);
  const { dependencies, indexes } = await report;
  expect(dependencies.map(({ ok, code }) => [ok, code])).toEqual([
    [true, null],
    [true, null],
    [false, "upstream_unavailable"],
  ]);
  expect(indexes).toMatchObject([{ head: null, lag: null }]);
});
