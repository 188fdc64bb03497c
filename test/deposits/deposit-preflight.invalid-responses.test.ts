import { describe, expect, test } from "vitest";
import { preflightDeposit } from "../../src/deposits/deposit-preflight.ts";
import { answerMulticall, head } from "../support/chains/multicall.ts";
import { clientOn, type RpcAnswer, startHonestNode } from "../support/chains/rpc-node.ts";
import { testContext } from "../support/context.ts";
import { intentOf, native, wethVault } from "../support/deposits/fixtures.ts";

const useless: readonly [string, RpcAnswer][] = [
  ["null", { result: null }],
  ["a text", { result: "soon" }],
  ["an object", { result: {} }],
];

describe("preflightDeposit() throws upstream_unavailable for an invalid response", () => {
  test.each(useless)("eth_getBalance: %s", async (_what, answer) => {
    const node = await startHonestNode(({ method, params }) => {
      if (method !== "eth_call") return answer;
      const [{ data }] = params as [{ data: `0x${string}` }];
      return { result: answerMulticall(data, { contracts: () => ({ ok: false, data: "0x" }), block: head }) };
    });
    const { client } = clientOn([node]);
    const intent = intentOf({ vault: wethVault, token: native, client });
    const checked = preflightDeposit(testContext({ clients: [client] }), { intent, amount: intent.amount });
    await expect(checked).rejects.toMatchObject({ code: "upstream_unavailable" });
  });
});
