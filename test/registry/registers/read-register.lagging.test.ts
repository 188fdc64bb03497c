import { type Address, encodeAbiParameters, encodeEventTopics, getAddress, numberToHex, pad } from "viem";
import { expect, test } from "vitest";
import { readRegister } from "../../../src/registry/registers/read-register.ts";
import { createVaultV2 } from "../../../src/registry/registers/register-events.ts";
import { answerMulticall } from "../../support/chains/multicall.ts";
import { clientOn, type RpcAnswer, startHonestNode, testChain } from "../../support/chains/rpc-node.ts";
import { OTHER, USER, VAULT } from "../../support/deposits/fixtures.ts";

const HEAD = 1_000;
const hash = numberToHex(7, { size: 32 });
const REGISTER: Address = "0x00000000000000000000000000000000000000f1";

/** The log in which the register names the vault. */
const log = {
  ...{
    address: REGISTER,
    blockNumber: numberToHex(HEAD),
    blockHash: hash,
    transactionHash: hash,
    logIndex: "0x0",
  },
  topics: encodeEventTopics({
    abi: [createVaultV2()],
    eventName: "CreateVaultV2",
    args: { owner: USER, asset: OTHER, newVaultV2: VAULT } as never,
  }),
  data: pad("0x", { size: 32 }),
};

/** A node whose head is `head`; it fails the methods in `fails`. */
const startNodeAt = (head: number, fails: readonly string[] = []) =>
  startHonestNode(({ method, params }): RpcAnswer => {
    if (fails.includes(method)) return { fault: "status_500" };
    if (method === "eth_getLogs") return { result: head < HEAD ? [] : [log] };
    if (method === "eth_getBlockByNumber")
      return { result: head < HEAD ? null : { number: numberToHex(HEAD), hash, timestamp: "0x1" } };
    const [{ data }] = params as [{ data: `0x${string}` }];
    const names = encodeAbiParameters([{ type: "bool" }], [head >= HEAD]);
    const block = { chainId: testChain.chainId, number: head, timestamp: 1_700_000_000 };
    return { result: answerMulticall(data, { contracts: () => ({ ok: true, data: names }), block }) };
  });

const register = {
  ...{ chainId: testChain.chainId, address: REGISTER, adapter: "morpho_v2", protocol: "Scratch" },
  ...({ openness: "anybody", membership: "isVaultV2", isFactory: true } as const),
  reading: { kind: "events", event: createVaultV2, vaults: ["newVaultV2"], from: HEAD - 9 } as const,
};
const asked = { register, readTo: null, head: HEAD };

test.each([
  ["events", ["eth_getLogs"]],
  ["the membership of their vaults", ["eth_call"]],
])("readRegister() asks no node for %s that is behind the blocks that it reads", async (_what, fails) => {
  const [failing, behind, current] = [
    await startNodeAt(HEAD, fails),
    await startNodeAt(HEAD - 1),
    await startNodeAt(HEAD),
  ];
  // The blocks do not count as read, so that the next read finds the vault.
  await expect(readRegister(clientOn([failing, behind]).client, asked)).rejects.toMatchObject({
    code: "upstream_unavailable",
  });
  expect(await readRegister(clientOn([failing, behind, current]).client, asked)).toEqual({
    ...{ vaults: [getAddress(VAULT)], complete: false, readTo: HEAD, behind: false },
  });
});
