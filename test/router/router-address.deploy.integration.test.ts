import {
  type Address,
  createTestClient,
  createWalletClient,
  encodeFunctionData,
  http,
  keccak256,
  publicActions,
} from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Anvil, runAnvil } from "../../scripts/stack/chains/anvil.ts";
import { awaitReceipt } from "../../scripts/stack/chains/await-receipt.ts";
import { depositRouterAbi, depositRouterRuntimeCode } from "../../src/router/deposit-router-artifact.ts";
import {
  create2Factory,
  create2FactoryCodeHash,
  deployTransaction,
  depositRouterAddress,
  depositRouterCodeHash,
  executorCodeHash,
  executorImplementationAddress,
} from "../../src/router/router-address.ts";

describe.each([1, 999])("deploying on chain %i", (chainId) => {
  let chain: Anvil;
  let sender: Address;
  const clients = () => {
    const transport = http(chain.url);
    return {
      wallet: createWalletClient({ transport }),
      node: createTestClient({ mode: "anvil", transport }).extend(publicActions),
    };
  };

  beforeAll(async () => {
    chain = await runAnvil("--chain-id", `${chainId}`);
    [sender] = (await clients().wallet.getAddresses()) as [Address];
  });
  afterAll(() => chain?.close());

  test("creates exactly the committed code at the computed address", async () => {
    const { wallet, node } = clients();
    expect(await node.getCode({ address: depositRouterAddress })).toBeUndefined();
    const hash = await wallet.sendTransaction({ account: sender, chain: null, ...deployTransaction() });
    const receipt = await awaitReceipt(node, hash);
    expect(receipt.status).toBe("success");
    expect(receipt.gasUsed).toBeLessThan(3_300_000n);

    const code = await node.getCode({ address: depositRouterAddress });
    expect(code).toBe(depositRouterRuntimeCode);
    expect(keccak256(code ?? "0x")).toBe(depositRouterCodeHash);
  });

  test("creates the Executor at the computed address, and the Router names it", async () => {
    const { node } = clients();
    const named = await node.readContract({
      address: depositRouterAddress,
      abi: depositRouterAbi,
      functionName: "executorImplementation",
    });
    expect(named).toBe(executorImplementationAddress);
    const code = await node.getCode({ address: executorImplementationAddress });
    expect(keccak256(code ?? "0x")).toBe(executorCodeHash);
    expect(keccak256((await node.getCode({ address: create2Factory })) ?? "0x")).toBe(create2FactoryCodeHash);
  });

  test("reverts a second time and leaves the first Router unchanged", async () => {
    const { node } = clients();
    await expect(node.call({ account: sender, ...deployTransaction() })).rejects.toThrow();
    expect(await node.getCode({ address: depositRouterAddress })).toBe(depositRouterRuntimeCode);
  });

  test("gives a Router that takes no plain money and answers nothing but its two functions", async () => {
    const { node } = clients();
    await expect(node.call({ account: sender, to: depositRouterAddress, value: 1n })).rejects.toThrow();
    const owner = encodeFunctionData({
      abi: [{ type: "function", name: "owner", inputs: [], outputs: [], stateMutability: "view" }] as const,
    });
    await expect(node.call({ to: depositRouterAddress, data: owner })).rejects.toThrow();
    const functions = depositRouterAbi.filter((item) => item.type === "function").map((item) => item.name);
    expect(functions.sort()).toEqual([
      "execute",
      "executeWithAuthorization",
      "executeWithPermit",
      "executeWithPermit2",
      "executorImplementation",
    ]);
  });
});
