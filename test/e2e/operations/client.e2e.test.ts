import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createWalletClient, custom, encodeFunctionData, erc20Abi, http, numberToHex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { describe, expect, inject, test } from "vitest";
import { rpc } from "../../../scripts/stack/chains/json-rpc.ts";
import { createCausewayClient } from "../../../src/client/causeway-client.ts";
import type { ExecutionProgress } from "../../../src/client/execution/execution-options.ts";
import {
  continueDeposit,
  executeDeposit,
  watchDeposit,
} from "../../../src/client/operations/deposit-operations.ts";
import { getPositions, getVault, getVaults } from "../../../src/client/operations/read-operations.ts";
import { type Batching, injectWallet } from "../../support/client/injected-wallet.ts";
import { exampleOnStack, printedExample } from "../../support/client/printed-example.ts";
import { balanceOf } from "../../support/e2e/balances.ts";
import {
  addressOf,
  chainIds,
  chainOf,
  give,
  mined,
  type TestChain,
  tokenOn,
  vaultNamed,
} from "../../support/e2e/chain.ts";
import { emulators, withFaults } from "../../support/e2e/faults.ts";
import { createWallet } from "../../support/wallet.ts";

const one = chainOf(chainIds.one);
const two = chainOf(chainIds.two);
const nodes = { [one.chainId]: one.rpcUrl, [two.chainId]: two.rpcUrl };
const client = createCausewayClient({ url: inject("stack").api });
type Symbol = Parameters<typeof tokenOn>[1];

/** Creates an account with gas on both chains and a token on one, and its injected wallet. */
async function newWallet(funds: { on: TestChain; symbol: Symbol; amount: bigint }, batching?: Batching) {
  const privateKey = generatePrivateKey();
  const account = privateKeyToAccount(privateKey);
  for (const url of Object.values(nodes))
    await rpc(url, "anvil_setBalance", account.address, numberToHex(10n ** 21n));
  const { on, symbol, amount } = funds;
  const user = { address: account.address, wallet: createWallet({ privateKey, ...on }) };
  await give(on, { user, symbol: symbol as never, amount });
  const provider = injectWallet({ account, nodes, chainId: two.chainId, ...(batching ? { batching } : {}) });
  return {
    account,
    provider,
    wallet: createWalletClient({ account: account.address, transport: custom(provider) }),
  };
}

const sharesOf = (name: string, owner: `0x${string}`) => {
  const vault = vaultNamed(name);
  return balanceOf(chainOf(vault.chain_id), { token: addressOf(vault), owner });
};
const depositOf = (name: string, symbol: Symbol, fromAmount: bigint) => ({
  fromChainId: one.chainId,
  fromToken: tokenOn(one, symbol),
  fromAmount,
  vaultId: vaultNamed(name).vault_id,
  slippage: 0.02,
});

describe("the example of the client's README", () => {
  test("deposits as it is printed", async () => {
    const amount = 25_000_000n;
    const { account, provider } = await newWallet({ on: one, symbol: "USDC", amount });
    const printed = printedExample();
    expect(
      printed
        .trim()
        .split("\n")
        .filter((line) => line !== "").length,
    ).toBeLessThanOrEqual(12);
    expect(readFileSync(".github/docs/client.md", "utf8")).toContain(printed);
    const source = join(process.cwd(), "src/client");
    const stack = { chainId: one.chainId, token: tokenOn(one, "USDC") };
    const code = exampleOnStack({ ...stack, vaultId: vaultNamed("Plain USDC").vault_id })
      .replace(
        /import \{ createCausewayClient.*\n/,
        `import { createCausewayClient } from "${source}/causeway-client.ts";\nimport { executeDeposit } from "${source}/operations/deposit-operations.ts";\nimport type { ExecutionProgress } from "${source}/execution/execution-options.ts";\n`,
      )
      .replace("window as unknown", "globalThis as unknown")
      .replace("console.log(deposit.state, deposit.shares);", "export default deposit;");
    const folder = join(process.cwd(), ".cache/client-example");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "example.ts"), code);
    Object.assign(globalThis, { ethereum: provider });
    try {
      const { default: deposit } = (await import(join(folder, "example.ts"))) as {
        default: { state: string; shares: bigint };
      };
      expect(deposit.state).toBe("completed");
      expect(deposit.shares).toBe(await sharesOf("Plain USDC", account.address));
    } finally {
      rmSync(folder, { recursive: true });
      Reflect.deleteProperty(globalThis, "ethereum");
    }
  });
});

describe("executeDeposit()", () => {
  test("resets an allowance that a token does not change, and tells its progress", async () => {
    const amount = 40_000_000n;
    const { account, wallet, provider } = await newWallet({ on: one, symbol: "USDT", amount });
    const spender = one.info.contracts.deposit_router;
    provider.chainId = one.chainId;
    const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, 7n] });
    const to = tokenOn(one, "USDT");
    await mined(one, await wallet.sendTransaction({ account: account.address, chain: null, to, data }));
    const told: ExecutionProgress[] = [];
    const deposit = await executeDeposit(client, {
      ...depositOf("Plain USDT", "USDT", amount),
      wallet,
      onProgress: (progress) => void told.push(progress),
    });
    expect(deposit.state).toBe("completed");
    const phases = told.filter(({ phase }) => phase !== "waiting");
    expect(phases.map(({ phase, step }) => [phase, step?.purpose ?? null])).toEqual([
      ["wallet", "approve_reset"],
      ["sent", "approve_reset"],
      ["included", "approve_reset"],
      ["wallet", "approve"],
      ["sent", "approve"],
      ["included", "approve"],
      ["wallet", "deposit"],
      ["sent", "deposit"],
      ["included", "deposit"],
      ["done", null],
    ]);
  });

  test("switches the chain, crosses to the other one and waits for the delivery", async () => {
    const amount = 120_000_000n;
    const { account, wallet, provider } = await newWallet({ on: one, symbol: "USDC", amount });
    const deposit = await executeDeposit(client, { ...depositOf("Remote USDC", "USDC", amount), wallet });
    expect(provider.asked).toContain("wallet_switchEthereumChain");
    expect(deposit).toMatchObject({ state: "completed", bridge: "across" });
    expect(await sharesOf("Remote USDC", account.address)).toBeGreaterThan(0n);
  });

  test.each<[Batching, number]>([
    ["atomic", 0],
    ["refuses", 2],
  ])("with a wallet that batches: %s", async (batching, transactions) => {
    const amount = 30_000_000n;
    const { wallet, provider } = await newWallet({ on: one, symbol: "USDC", amount }, batching);
    const deposit = await executeDeposit(client, { ...depositOf("Plain USDC", "USDC", amount), wallet });
    expect(deposit.state).toBe("completed");
    expect(provider.asked.filter((method) => method === "wallet_sendCalls")).toHaveLength(1);
    expect(provider.asked.filter((method) => method === "eth_sendTransaction")).toHaveLength(transactions);
  });

  test("with a local account, which has a client per chain", async () => {
    const amount = 30_000_000n;
    const { account } = await newWallet({ on: one, symbol: "USDC", amount });
    const wallet = (chainId: number) => createWalletClient({ account, transport: http(nodes[chainId]) });
    const deposit = await executeDeposit(client, { ...depositOf("Plain USDC", "USDC", amount), wallet });
    expect(deposit.state).toBe("completed");
  });

  test("stops when the user declines, and continues from the tracking id", async () => {
    const amount = 30_000_000n;
    const { wallet, provider } = await newWallet({ on: one, symbol: "USDC", amount });
    provider.refuse("eth_sendTransaction", 4001);
    let trackingId = "";
    const onProgress = (progress: ExecutionProgress) => {
      trackingId = progress.trackingId;
    };
    const declined = executeDeposit(client, {
      ...depositOf("Plain USDC", "USDC", amount),
      wallet,
      onProgress,
    });
    await expect(declined).rejects.toMatchObject({ name: "CausewayError", code: "user_rejected" });
    expect((await continueDeposit(client, { trackingId, wallet })).state).toBe("completed");
  });

  test("continues a deposit in two steps after a reload half-way", async () => {
    const amount = 10n ** 16n;
    const { account, wallet, provider } = await newWallet({ on: one, symbol: "WETH", amount });
    const leaving = new AbortController();
    let trackingId = "";
    const left = withFaults(
      { emulators: [emulators().lifi], faults: [{ kind: "status", status: 503 }] },
      () =>
        executeDeposit(client, {
          ...depositOf("Plain USDC", "WETH", amount),
          wallet,
          signal: leaving.signal,
          onProgress(progress) {
            trackingId = progress.trackingId;
            if (progress.phase === "sent" && progress.step?.purpose === "transfer") leaving.abort();
          },
        }),
    );
    await expect(left).rejects.toMatchObject({ code: "aborted" });
    const before = provider.asked.length;
    const deposit = await continueDeposit(client, { trackingId, wallet });
    expect(deposit).toMatchObject({ state: "completed", twoStep: true });
    expect(await sharesOf("Plain USDC", account.address)).toBeGreaterThan(0n);
    // The approval of the second step and the deposit: the swap is not sent again.
    expect(provider.asked.slice(before).filter((method) => method === "eth_sendTransaction")).toHaveLength(2);
  });

  test("refuses another account and a chain that the wallet does not know", async () => {
    const amount = 1_000_000n;
    const { wallet, provider } = await newWallet({ on: one, symbol: "USDC", amount });
    const input = { ...depositOf("Plain USDC", "USDC", amount), wallet };
    const other = "0x000000000000000000000000000000000000dEaD";
    await expect(executeDeposit(client, { ...input, userAddress: other })).rejects.toMatchObject({
      code: "wrong_account",
    });
    provider.refuse("wallet_switchEthereumChain", 4902);
    provider.chainId = two.chainId;
    await expect(executeDeposit(client, input)).rejects.toMatchObject({ code: "chain_unavailable" });
  });
});

describe("the reading actions", () => {
  test("return amounts as bigint and names in camelCase", async () => {
    const [first] = await getVaults(client, { chainId: one.chainId, limit: 1 });
    expect(first).toMatchObject({ chainId: one.chainId, vaultId: expect.any(String) });
    const vault = await getVault(client, { vaultId: vaultNamed("Plain USDC").vault_id });
    expect(typeof vault.totalAssets).toBe("bigint");
    const { positions } = await getPositions(client, { userAddress: one.info.contracts.deposit_router });
    expect(positions).toEqual([]);
  });

  test("throw the API's codes, and its findings about an input", async () => {
    const nothing = "31337:0x00000000000000000000000000000000000000ff";
    await expect(getVault(client, { vaultId: nothing })).rejects.toMatchObject({
      code: "vault_not_found",
      status: 404,
    });
    await expect(getVaults(client, { limit: 100_000 })).rejects.toMatchObject({
      code: "invalid_input",
      issues: [{ loc: ["query", "limit"] }],
    });
    const gone = createCausewayClient({ url: "http://127.0.0.1:9" });
    await expect(getVaults(gone)).rejects.toMatchObject({ code: "network" });
    const trackingId = `trk_${"0".repeat(32)}`;
    await expect(watchDeposit(client, { trackingId })).rejects.toMatchObject({ code: "deposit_not_found" });
  });
});
