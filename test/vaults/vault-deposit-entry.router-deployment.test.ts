import type { Hex } from "viem";
import { expect, test } from "vitest";
import { depositRouterRuntimeCode } from "../../src/router/deposit-router-artifact.ts";
import { isRouterDeployed } from "../../src/vaults/vault-deposit-entry.ts";
import { completeClient } from "../support/chains/complete-client.ts";
import { contractsClient } from "../support/chains/multicall.ts";
import { clientOn, type RpcAnswer, startHonestNode, testChain } from "../support/chains/rpc-node.ts";
import { testContext } from "../support/context.ts";

/** A chain with this code at the Router's address. */
function chainWith(code: Hex) {
  const reading = contractsClient(() => ({ ok: false, data: "0x" }));
  const client = completeClient({ ...reading, request: async () => code });
  return testContext({ clients: [client] });
}

test.each<[string, Hex, boolean]>([
  ["is deployed with its own code", depositRouterRuntimeCode, true],
  ["is not deployed without code", "0x", false],
  ["is not deployed with other code", "0x6001600155", false],
  ["is not deployed with an extra byte", `${depositRouterRuntimeCode}00`, false],
  ["is not deployed with a different last byte", `${depositRouterRuntimeCode.slice(0, -2)}ff` as Hex, false],
])("isRouterDeployed(): the Router %s", async (_what, code, deployed) => {
  expect(await isRouterDeployed(chainWith(code), testChain.chainId)).toBe(deployed);
});

test("isRouterDeployed() throws chain_unsupported for an unsupported chain", async () => {
  await expect(isRouterDeployed(chainWith("0x"), 5)).rejects.toMatchObject({ code: "chain_unsupported" });
});

test.each<[string, RpcAnswer]>([
  ["null", { result: null }],
  ["text", { result: "soon" }],
  ["an object", { result: {} }],
])("isRouterDeployed() throws upstream_unavailable for %s as code", async (_what, answer) => {
  const { client } = clientOn([await startHonestNode(() => answer)]);
  const deployed = isRouterDeployed(testContext({ clients: [client] }), testChain.chainId);
  await expect(deployed).rejects.toMatchObject({ code: "upstream_unavailable" });
});
