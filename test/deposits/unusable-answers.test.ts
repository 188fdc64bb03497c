import { describe, expect, test } from "vitest";
import { checkDeposit } from "../../src/deposits/check.ts";
import { routerIsDeployed } from "../../src/router/deployed.ts";
import { testContext } from "../lib/context.ts";
import { answerMulticall, head } from "../lib/multicall.ts";
import { clientOn, type RpcAnswer, startHonestNode, testChain } from "../lib/rpc-node.ts";
import { intentOf, native, wethVault } from "./fixtures.ts";

const useless: readonly [string, RpcAnswer][] = [
  ["null", { result: null }],
  ["a text", { result: "soon" }],
  ["an object", { result: {} }],
];

describe("a node with an unusable answer is 502, never 500", () => {
  test.each(useless)("to eth_getCode: %s", async (_what, answer) => {
    const { client } = clientOn([await startHonestNode(() => answer)]);
    const ctx = testContext({ clients: [client] });
    await expect(routerIsDeployed(ctx, testChain.chainId)).rejects.toMatchObject({
      code: "upstream_unavailable",
    });
  });

  test.each(useless)("to eth_getBalance: %s", async (_what, answer) => {
    const node = await startHonestNode(({ method, params }) => {
      if (method !== "eth_call") return answer;
      const [{ data }] = params as [{ data: `0x${string}` }];
      return { result: answerMulticall(data, { contracts: () => ({ ok: false, data: "0x" }), block: head }) };
    });
    const { client } = clientOn([node]);
    const intent = intentOf({ vault: wethVault, token: native, client });
    const checked = checkDeposit(testContext({ clients: [client] }), { intent, amount: intent.amount });
    await expect(checked).rejects.toMatchObject({ code: "upstream_unavailable" });
  });
});
