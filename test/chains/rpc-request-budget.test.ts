import { describe, expect, test } from "vitest";
import { createBudget, onOneNodeWithinBudget } from "../../src/chains/rpc-request-budget.ts";
import { clientOn, type RpcAnswer, startHonestNode } from "../support/chains/rpc-node.ts";

const failures: [string, RpcAnswer, object][] = [
  ["no usable answer", { fault: "status_500" }, { code: "upstream_unavailable" }],
  ["an error", { error: { code: -32000, message: "out of order" } }, { name: "RpcError" }],
];

describe("onOneNodeWithinBudget() without requests for another node", () => {
  test.each(failures)(
    "after %s throws it, and avoids no node that it did not ask",
    async (_, answer, error) => {
      const nodes = [await startHonestNode(() => answer)];
      for (let count = 0; count < 2; count += 1)
        nodes.push(await startHonestNode(() => ({ result: "0x60" })));
      const { client, health, clock } = clientOn(nodes);
      const budget = createBudget({ requests: 10, blocks: 1, topics: null });
      const work = onOneNodeWithinBudget(client, budget, (node) => node.request("eth_call", []));
      await expect(work).rejects.toMatchObject(error);
      const urls = nodes.map(({ url }) => url);
      const [first, ...others] = urls;
      expect(health.order(urls, clock.now)).toEqual("fault" in answer ? [...others, first] : urls);
      expect(nodes.map(({ calls }) => calls.filter(({ method }) => method === "eth_call").length)).toEqual([
        1, 0, 0,
      ]);
      expect(nodes[2]?.calls).toEqual([]);
    },
  );
});
