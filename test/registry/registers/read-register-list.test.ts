import { type Address, encodeAbiParameters, getAddress } from "viem";
import { expect, test } from "vitest";
import { readRegisterList } from "../../../src/registry/registers/read-register-list.ts";
import { clientOn, startHonestNode } from "../../support/chains/rpc-node.ts";
import { OTHER, VAULT } from "../../support/deposits/fixtures.ts";

const nodeWith = (result: unknown) => startHonestNode(() => ({ result }));
const listOf = (vaults: readonly Address[]) => encodeAbiParameters([{ type: "address[]" }], [vaults]);

test("readRegisterList() asks the next node if one returns no bytes", async () => {
  const { client } = clientOn([await nodeWith(null), await nodeWith(listOf([VAULT]))]);
  const asked = { register: { address: OTHER }, view: "allTokens" } as const;
  expect(await readRegisterList(client, asked)).toEqual({
    ...{ vaults: [getAddress(VAULT)], complete: true },
  });
});
