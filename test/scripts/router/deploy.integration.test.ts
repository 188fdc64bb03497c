import { parseEther } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { deployRouter } from "../../../scripts/router/deploy.ts";
import { type ScratchChain, startScratchChain } from "../../../scripts/stack/chains/scratch-chain.ts";
import {
  create2Factory,
  depositRouterAddress,
  depositRouterCodeHash,
  executorImplementationAddress,
} from "../../../src/router/router-address.ts";

const CHAIN = 31400;
let chain: ScratchChain;
const account = privateKeyToAccount(generatePrivateKey());

beforeEach(async () => {
  chain = await startScratchChain("--chain-id", String(CHAIN));
  await chain.node.setBalance({ address: account.address, value: parseEther("1") });
});
afterEach(() => chain?.stop());

const run = (change: Partial<Parameters<typeof deployRouter>[0]> = {}) =>
  deployRouter({
    chainId: CHAIN,
    rpcUrl: String(chain.node.transport["url"]),
    account,
    dryRun: false,
    ...change,
  });
const codeThere = () => chain.node.getCode({ address: depositRouterAddress });

test("deployRouter() simulates first, deploys once and then reports it as deployed", async () => {
  const tried = await run({ dryRun: true, account: null });
  expect(tried).toEqual({
    outcome: "possible",
    address: depositRouterAddress,
    gas: expect.any(BigInt),
    cost: expect.any(BigInt),
    balance: null,
  });
  expect(await codeThere()).toBeUndefined();
  expect(await run()).toMatchObject({ outcome: "deployed", address: depositRouterAddress });
  const proof = await chain.node.getProof({ address: depositRouterAddress, storageKeys: [] });
  expect(proof.codeHash).toBe(depositRouterCodeHash);
  const sent = await chain.node.getTransactionCount({ address: account.address });
  for (const dryRun of [true, false]) expect(await run({ dryRun })).toMatchObject({ outcome: "present" });
  expect(await chain.node.getTransactionCount({ address: account.address })).toBe(sent);
});

test.each<[string, (node: ScratchChain["node"]) => Promise<unknown>, RegExp]>([
  [
    "other code at the address",
    (node) => node.setCode({ address: depositRouterAddress, bytecode: "0x6001" }),
    /is not the Router: its hash is 0x/,
  ],
  [
    "no factory",
    (node) => node.setCode({ address: create2Factory, bytecode: "0x" }),
    /factory .* is not on this chain/,
  ],
  [
    "another factory",
    // Returns twenty bytes that differ from the Router's address.
    (node) =>
      node.setCode({
        address: create2Factory,
        bytecode: `0x73${"11".repeat(20)}6000526014600cf3`,
      }),
    /is not the CREATE2 factory/,
  ],
  [
    "another Executor",
    async (node) => {
      await run();
      await node.setCode({ address: executorImplementationAddress, bytecode: "0x6001" });
    },
    /is not the Executor/,
  ],
  [
    "an account that cannot pay",
    (node) => node.setBalance({ address: account.address, value: 1n }),
    /holds less than|exceeds the balance|insufficient funds/i,
  ],
])("deployRouter() rejects %s and sends nothing", async (_what, prepare, message) => {
  await prepare(chain.node);
  const block = await chain.node.getBlockNumber();
  await expect(run()).rejects.toThrow(message);
  expect(await chain.node.getBlockNumber()).toBe(block);
});

test("deployRouter() rejects a node of another chain and a missing private key", async () => {
  await expect(run({ chainId: 1 })).rejects.toThrow("the node serves chain 31400, not 1");
  await expect(run({ account: null })).rejects.toThrow("DEPLOYER_PRIVATE_KEY is not set");
  expect(await codeThere()).toBeUndefined();
});
