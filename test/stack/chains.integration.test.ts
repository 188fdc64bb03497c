import {
  type Address,
  createClient,
  encodeFunctionData,
  erc20Abi,
  erc4626Abi,
  type Hex,
  http,
  keccak256,
  parseAbi,
  zeroAddress,
} from "viem";
import { call, getBlock, getCode, readContract, simulateContract } from "viem/actions";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callerVaultAbi, minimumVaultAbi } from "#stand-ins/standard";
import { accounts, tokenHolders } from "../../scripts/stack/accounts.ts";
import type { DeployedChain } from "../../scripts/stack/chains/deploy-chain.ts";
import { rpc } from "../../scripts/stack/chains/json-rpc.ts";
import type { Scenario } from "../../scripts/stack/chains/plan.ts";
import { registryRows } from "../../scripts/stack/chains/registry.ts";
import { depositRouterAddress, depositRouterCodeHash } from "../../src/router/router-address.ts";
import { startProcess } from "../support/stack/harness.ts";

const MULTICALL3: Address = "0xcA11bde05977b3631167028862bE2a173976CA11";
const { child, close } = startProcess("chains");
let one: DeployedChain;
let two: DeployedChain;
const [user = zeroAddress] = tokenHolders;

const clientOf = ({ url }: DeployedChain) => createClient({ transport: http(url) });
const vaultOf = (deployment: DeployedChain, scenario: Scenario, name?: string) => {
  const found = deployment.vaults.find(
    ({ plan }) => plan.scenario === scenario && (name === undefined || plan.name === name),
  );
  if (found === undefined) throw new Error(`no ${scenario} vault`);
  return found;
};
const read = (
  vault: { address: Address },
  functionName: "previewDeposit" | "convertToAssets",
  amount: bigint,
) => readContract(clientOf(one), { address: vault.address, abi: erc4626Abi, functionName, args: [amount] });
const maxDeposit = (vault: { address: Address }) =>
  readContract(clientOf(one), {
    address: vault.address,
    abi: erc4626Abi,
    functionName: "maxDeposit",
    args: [user],
  });
const send = async (
  deployment: DeployedChain,
  { to, data, from = user }: { to: Address; data: Hex; from?: Address },
) => call(clientOf(deployment), { account: from, to, data });

beforeAll(async () => {
  await child.ask("start");
  const deployments = await child.ask<DeployedChain[]>("deploy", tokenHolders);
  const [first, second] = deployments;
  if (first === undefined || second === undefined) throw new Error("two chains expected");
  [one, two] = [first, second];
});
afterAll(close);

describe("local chains", () => {
  test("have their own ids and addresses, and a clock just behind the wall clock", async () => {
    for (const deployment of [one, two]) {
      const block = await getBlock(clientOf(deployment));
      const behind = Date.now() / 1000 - Number(block.timestamp);
      expect(behind).toBeGreaterThanOrEqual(0);
      expect(behind).toBeLessThan(60);
    }
    expect([one.plan.chainId, two.plan.chainId]).toEqual([31337, 31338]);
    const addresses = [one, two].flatMap(({ vaults, tokens }) => [
      ...vaults.map(({ address }) => address),
      ...Object.values(tokens),
    ]);
    expect(new Set(addresses).size).toBe(addresses.length);
    expect(two.vaults.length).toBeGreaterThanOrEqual(3);
  });

  test("mine blocks while idle, unless automine is off", async () => {
    const height = ({ url }: DeployedChain) => rpc(url, "eth_blockNumber");
    await rpc(two.url, "evm_setAutomine", false);
    const [first, second] = await Promise.all([height(one), height(two)]);
    await expect.poll(() => height(one), { interval: 250 }).not.toBe(first);
    expect(await height(two)).toBe(second);
    await rpc(two.url, "evm_setAutomine", true);
  });

  test("hold the DepositRouter's exact code, and Multicall3 only on the first", async () => {
    for (const deployment of [one, two]) {
      const code = await getCode(clientOf(deployment), { address: depositRouterAddress });
      expect(keccak256(code ?? "0x")).toBe(depositRouterCodeHash);
    }
    const chainId = await readContract(clientOf(one), {
      address: MULTICALL3,
      abi: parseAbi(["function getChainId() view returns (uint256)"]),
      functionName: "getChainId",
    });
    expect(chainId).toBe(31337n);
    expect(await getCode(clientOf(two), { address: MULTICALL3 })).toBeUndefined();
    expect([one.multicall3, two.multicall3]).toEqual([MULTICALL3, null]);
  });

  test("fund seven accounts with tokens and no others", async () => {
    for (const [index, { address }] of accounts.entries()) {
      const balance = await readContract(clientOf(two), {
        address: two.tokens.WETH,
        abi: erc20Abi,
        functionName: "balanceOf",
        args: [address],
      });
      expect(balance).toBe(index < 7 ? 500n * 10n ** 18n : 0n);
    }
  });
});

describe("local tokens", () => {
  const usdtAbi = parseAbi([
    "function approve(address,uint256)",
    "function transfer(address,uint256)",
    "function mint(address,uint256)",
  ]);

  test("USDT returns no value and requires an allowance reset to zero", async () => {
    const approve = (amount: bigint) =>
      encodeFunctionData({ abi: usdtAbi, functionName: "approve", args: [MULTICALL3, amount] });
    const transfer = encodeFunctionData({ abi: usdtAbi, functionName: "transfer", args: [MULTICALL3, 1n] });
    expect((await send(one, { to: one.tokens.USDT, data: transfer })).data).toBeUndefined();
    expect((await send(one, { to: one.tokens.USDT, data: approve(5n) })).data).toBeUndefined();
    const vault = vaultOf(one, "honest", "Plain USDT").address;
    const again = encodeFunctionData({ abi: usdtAbi, functionName: "approve", args: [vault, 7n] });
    const owner = one.plan.deployer;
    await expect(send(one, { to: one.tokens.USDT, data: again, from: owner })).rejects.toThrow("revert");
    const reset = encodeFunctionData({ abi: usdtAbi, functionName: "approve", args: [vault, 0n] });
    await send(one, { to: one.tokens.USDT, data: reset, from: owner });
  });

  test("FEE deducts a 1 % fee on transfer, so its vault holds less than was deposited", async () => {
    const vault = vaultOf(one, "fee_on_transfer");
    const held = await readContract(clientOf(one), {
      address: vault.address,
      abi: erc4626Abi,
      functionName: "totalAssets",
    });
    expect(held).toBe((vault.plan.deposited * 99n) / 100n);
  });
});

/** Adapters of the families whose vault is a named ERC-4626 vault. */
const STANDARD: ReadonlySet<string> = new Set(["erc4626", "metamorpho"]);

describe("local vaults", () => {
  test("have the share decimals of their registry rows", async () => {
    for (const deployment of [one, two]) {
      const rows = registryRows(deployment);
      expect(rows.length).toBeGreaterThan(3);
      for (const row of rows) {
        const address = row.shareToken as Address;
        const call = { address, abi: erc20Abi, functionName: "decimals" } as const;
        expect([row.name, await readContract(clientOf(deployment), call)]).toEqual([
          row.name,
          row.shareDecimals,
        ]);
      }
    }
  });

  test("that follow ERC-4626 have the asset and name of their registry rows", async () => {
    for (const deployment of [one, two]) {
      const standard = registryRows(deployment).filter(({ adapter }) => STANDARD.has(adapter));
      expect(standard.length).toBeGreaterThan(3);
      for (const row of standard) {
        const client = clientOf(deployment);
        const address = row.address as Address;
        const [asset, name] = await Promise.all([
          readContract(client, { address, abi: erc4626Abi, functionName: "asset" }),
          readContract(client, { address, abi: erc20Abi, functionName: "name" }),
        ]);
        expect([name, asset.toLowerCase()]).toEqual([row.name, row.assetAddress]);
      }
    }
  });

  test("that are honest have the planned share price", async () => {
    for (const vault of one.vaults.filter(({ plan }) => plan.scenario === "honest")) {
      const [row] = registryRows(one).filter(({ name }) => name === vault.plan.name);
      const oneShare = 10n ** BigInt(row?.shareDecimals ?? 0);
      const worth = await read(vault, "convertToAssets", oneShare);
      const unit = 10n ** BigInt(row?.assetDecimals ?? 0);
      const { deposited, accrued } = vault.plan;
      const expected = (unit * (deposited + accrued)) / deposited;
      expect(worth).toBeGreaterThan(unit);
      expect(Math.abs(Number(worth - expected))).toBeLessThanOrEqual(Math.max(2, Number(expected) / 1e6));
    }
  });

  test("that refuse deposits report it by maxDeposit or previewDeposit", async () => {
    const dollars = 10n ** 6n;
    expect(await maxDeposit(vaultOf(one, "paused"))).toBe(0n);
    expect(await maxDeposit(vaultOf(one, "full"))).toBe(0n);
    expect(await maxDeposit(vaultOf(one, "limited"))).toBe(10_000n * dollars);
    const inflated = vaultOf(one, "inflated");
    const shares = await read(inflated, "previewDeposit", 999n * dollars);
    expect(await read(inflated, "convertToAssets", shares)).toBeLessThan(700n * dollars);
    const dust = vaultOf(one, "dust");
    expect(await read(dust, "previewDeposit", 10n ** 18n)).toBe(0n);
    expect(await read(vaultOf(one, "empty"), "previewDeposit", dollars)).toBe(10n ** 12n);
  });

  test("revert with their own custom errors", async () => {
    const { address } = vaultOf(one, "minimum");
    const small = simulateContract(clientOf(one), {
      account: one.plan.deployer,
      address,
      abi: minimumVaultAbi,
      functionName: "deposit",
      args: [1n, user],
    });
    await expect(small).rejects.toThrow("DepositBelowMinimum");
    const members = simulateContract(clientOf(one), {
      account: one.plan.deployer,
      address: vaultOf(one, "caller").address,
      abi: callerVaultAbi,
      functionName: "deposit",
      args: [1n, user],
    });
    await expect(members).rejects.toThrow("CallerIsNotReceiver");
  });
});
