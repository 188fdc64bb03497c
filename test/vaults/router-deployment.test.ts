import type { Hex } from "viem";
import { expect, test } from "vitest";
import { depositRouterRuntimeCode } from "../../src/router/artifact.ts";
import { isRouterDeployed } from "../../src/vaults/router-deployment.ts";
import { testContext } from "../support/context.ts";
import { contractsClient } from "../support/multicall.ts";
import { testChain } from "../support/rpc-node.ts";
import { withAsk } from "../support/with-ask.ts";

/** A chain with this code at the Router's address. */
function chainWith(code: Hex) {
  const reading = contractsClient(() => ({ ok: false, data: "0x" }));
  const client = withAsk({ ...reading, request: async () => code });
  return testContext({ clients: [client] });
}

test.each<[string, Hex, boolean]>([
  ["is there with its own code", depositRouterRuntimeCode, true],
  ["is not there without code", "0x", false],
  ["is not what has other code", "0x6001600155", false],
  ["is not what has a byte more", `${depositRouterRuntimeCode}00`, false],
  ["is not what has another last byte", `${depositRouterRuntimeCode.slice(0, -2)}ff` as Hex, false],
])("the Router %s", async (_what, code, deployed) => {
  expect(await isRouterDeployed(chainWith(code), testChain.chainId)).toBe(deployed);
});

test("a chain that is not served has none to ask for", async () => {
  await expect(isRouterDeployed(chainWith("0x"), 5)).rejects.toMatchObject({ code: "chain_unsupported" });
});
