import { decodeFunctionData, encodeFunctionData, erc20Abi, erc4626Abi, type Hex } from "viem";
import { describe, expect, test } from "vitest";
import { Api } from "../../support/e2e/api.ts";
import { balanceOf } from "../../support/e2e/balances.ts";
import {
  addressOf,
  chainOf,
  mined,
  newUser,
  sendCall,
  type TestChain,
  type TestUser,
  tokenOn,
  vaultNamed,
  vaultsFor,
} from "../../support/e2e/chain.ts";
import { amounts, bodyFor, depositAndCheck, expectMintedAsQuoted } from "../../support/e2e/deposit.ts";
import { signDeposit, toTransaction } from "../../support/e2e/sign-deposit.ts";

const api = new Api();

async function approve(chain: TestChain, job: { user: TestUser; token: `0x${string}`; amount: bigint }) {
  const args = [chain.info.contracts.deposit_router, job.amount] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args });
  await mined(chain, await sendCall(job.user, { to: job.token, data }));
}

const approvalsIn = (calls: readonly { data: string }[]): bigint[] =>
  calls.slice(0, -1).map(({ data }) => {
    const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data: data as Hex });
    expect(functionName).toBe("approve");
    return (args as readonly [Hex, bigint])[1];
  });

describe("allowance reset (USDT)", () => {
  const usdt = [...vaultsFor("honest")].filter(({ asset_symbol }) => asset_symbol === "USDT");

  test.each(usdt)("$chain_id: $name: the calls reset an existing partial allowance", async (vault) => {
    const chain = chainOf(vault.chain_id);
    const user = await newUser(chain, { USDT: amounts.USDT });
    await approve(chain, { user, token: tokenOn(chain, "USDT"), amount: amounts.USDT / 3n });
    const body = bodyFor(vault, { user: user.address });
    const { built } = await depositAndCheck(api, { vault, user, style: "calls", body });
    expect(approvalsIn(built.calls)).toEqual([0n, amounts.USDT]);
    expect(built.simulation.allowance_sufficient).toBe(false);
  });

  test("a sufficient allowance needs no approval", async () => {
    const vault = vaultNamed("Plain USDT");
    const chain = chainOf(vault.chain_id);
    const user = await newUser(chain, { USDT: amounts.USDT });
    await approve(chain, { user, token: tokenOn(chain, "USDT"), amount: amounts.USDT });
    const body = bodyFor(vault, { user: user.address });
    const { built } = await depositAndCheck(api, { vault, user, style: "calls", body });
    expect(built.calls).toHaveLength(1);
    expect(built.simulation.allowance_sufficient).toBe(true);
  });
});

test.each(vaultsFor("honest").slice(0, 1))(
  "allowance: a partial allowance of a plain token is replaced",
  async (vault) => {
    const chain = chainOf(vault.chain_id);
    const user = await newUser(chain, { USDC: amounts.USDC });
    await approve(chain, { user, token: tokenOn(chain, "USDC"), amount: 1n });
    const body = bodyFor(vault, { user: user.address });
    const { built } = await depositAndCheck(api, { vault, user, style: "calls", body });
    expect(approvalsIn(built.calls).at(-1)).toBe(amounts.USDC);
  },
);

describe("token with a fee on transfers", () => {
  const vault = vaultNamed("Toll FEE");
  const chain = chainOf(vault.chain_id);

  test.each(["calls", "approval"] as const)("deposits the amount that arrives (%s)", async (style) => {
    const user = await newUser(chain, { FEE: amounts.FEE });
    const body = bodyFor(vault, { user: user.address });
    const { built } = await depositAndCheck(api, { vault, user, style, body });
    const arrives = amounts.FEE - amounts.FEE / 100n;
    expect(built.estimate.deposit_amount).toBe(String(arrives));
    expect(BigInt(built.estimate.to_amount)).toBe(arrives);
  });
});

describe("vault that requires the user as caller", () => {
  const vault = vaultNamed("Members USDC");
  const chain = chainOf(vault.chain_id);

  test("shows its own entry point", async () => {
    expect(await api.vault(vault.vault_id)).toMatchObject({
      external_router: true,
      deposit_router: expect.stringMatching(new RegExp(`^${addressOf(vault)}$`, "i")),
    });
  });

  test.each(["calls", "approval"] as const)(
    "is called by the user without minimum shares on chain (%s)",
    async (style) => {
      const user = await newUser(chain, { USDC: amounts.USDC });
      const body = bodyFor(vault, { user: user.address });
      const { built } = await depositAndCheck(api, { vault, user, style, body });
      expect(built.transaction_request.to.toLowerCase()).toBe(addressOf(vault));
      expect(built.approval?.spender_address.toLowerCase()).toBe(addressOf(vault));
      expect(built.estimate.min_shares).toBe(null);
      const data = built.transaction_request.data as Hex;
      expect(decodeFunctionData({ abi: erc4626Abi, data })).toEqual({
        functionName: "deposit",
        args: [amounts.USDC, user.address],
      });
    },
  );
});

describe("vaults with conditions accept matching deposits", () => {
  test.each([
    ["Empty USDC", 1_000_000n],
    ["Limited Prime USDC", 500_000_000n],
    ["Minimum USDC", 100_000_000n],
  ])("%s", async (name, amount) => {
    const vault = vaultNamed(name);
    const user = await newUser(chainOf(vault.chain_id), { USDC: amount });
    const body = bodyFor(vault, { user: user.address, amount });
    await depositAndCheck(api, { vault, user, style: "calls", body });
  });
});

describe("user without the balance", () => {
  const [vault = vaultNamed("Plain USDC")] = vaultsFor("honest");
  const chain = chainOf(vault.chain_id);

  test("receives the transaction with balance_sufficient false and can send it later", async () => {
    const user = await newUser(chain);
    const built = await api.build(bodyFor(vault, { user: user.address }));
    expect(built.simulation).toMatchObject({ balance_sufficient: false, allowance_sufficient: false });
    expect(BigInt(built.simulation.shares ?? "0")).toBeGreaterThan(0n);
    const rich = await newUser(chain, { USDC: amounts.USDC });
    const args = [user.address, amounts.USDC] as const;
    const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args });
    await mined(chain, await sendCall(rich, { to: tokenOn(chain, "USDC"), data }));
    await mined(chain, await signDeposit(chain, { user, built, style: "calls" }));
    expectMintedAsQuoted(built, await balanceOf(chain, { token: addressOf(vault), owner: user.address }));
  });

  test("receives it for every honest vault", async () => {
    for (const honest of vaultsFor("honest", "caller", "fee_on_transfer")) {
      const user = await newUser(chainOf(honest.chain_id));
      const built = await api.build(bodyFor(honest, { user: user.address }));
      expect(built.simulation, honest.name).toMatchObject({ balance_sufficient: false });
    }
  });

  test("receives it for native money", async () => {
    const native = vaultNamed("Solid WETH");
    const user = await newUser(chain);
    const body = bodyFor(native, { user: user.address, amount: 10n ** 26n });
    const built = await api.build({ ...body, from_token: "0x0000000000000000000000000000000000000000" });
    expect(built.simulation).toMatchObject({ balance_sufficient: false, allowance_sufficient: true });
    expect(toTransaction(built.transaction_request).value).toBe("0x52b7d2dcc80cd2e4000000");
  });
});
