import { expect, test } from "vitest";
import { readContractCode } from "../../src/chains/code-at-block.ts";
import { clientOn, startHonestNode } from "../support/chains/rpc-node.ts";
import { VAULT } from "../support/deposits/fixtures.ts";

const nodeWith = (result: unknown) => startHonestNode(() => ({ result }));

test("readContractCode() returns the code at the latest block in lowercase", async () => {
  const node = await nodeWith("0x60AB");
  expect(await readContractCode(clientOn([node]).client, VAULT)).toBe("0x60ab");
  expect(node.calls.find(({ method }) => method === "eth_getCode")?.params).toEqual([VAULT, "latest"]);
});

test.each([[null], ["0x6"], [""], [{}]])(
  "readContractCode() asks the next node if one answers %j",
  async (malformed) => {
    const { client } = clientOn([await nodeWith(malformed), await nodeWith("0x60")]);
    expect(await readContractCode(client, VAULT)).toBe("0x60");
  },
);

test("readContractCode() throws upstream_unavailable if every node's answer is malformed", async () => {
  const { client } = clientOn([await nodeWith(null)]);
  await expect(readContractCode(client, VAULT)).rejects.toMatchObject({ code: "upstream_unavailable" });
});
