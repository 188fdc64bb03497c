import { zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { Api } from "../../support/e2e/api.ts";
import { chainOf, newUser, vaultNamed, vaultsFor } from "../../support/e2e/chain.ts";
import { holderOf, withdrawAndCheck } from "../../support/e2e/withdrawal.ts";

const api = new Api();
const ERC4626 = [
  "erc4626",
  "euler",
  "euler_earn",
  "aave_stata",
  "gearbox",
  "silo",
  "metamorpho",
  "morpho_v2",
  "yearn_v3",
  "fluid",
  "spark",
];
const vaults = vaultsFor("honest", "family").filter(({ adapter }) => ERC4626.includes(adapter));

test("vaults: the stack has a vault of each family that redeems at once", () => {
  expect([...new Set(vaults.map(({ adapter }) => adapter))].sort()).toEqual([...ERC4626].sort());
});

describe.each(vaults)("$chain_id: $name", (vault) => {
  test("redeems all shares through the Router for at least the minimum", async () => {
    const { user } = await holderOf(api, vault);
    const body = { vault_id: vault.vault_id, user_address: user.address, shares: "all" } as const;
    const { built } = await withdrawAndCheck(api, { vault, user, body });
    const { deposit_router: router } = chainOf(vault.chain_id).info.contracts;
    expect(built).toMatchObject({
      transaction_request: { to: router },
      approval: { token_address: vault.share_token, spender_address: router },
      ...{ mode: "instant", two_step: false },
      simulation: { balance_sufficient: true, allowance_sufficient: false, gas_sufficient: true },
    });
    expect(BigInt(built.estimate.min_assets ?? "0")).toBeGreaterThan(0n);
    const again = await api.withdrawRefusal(body);
    expect(again).toMatchObject({ status: 400, code: "nothing_to_withdraw" });
  });

  test("redeems a part by approval and transaction", async () => {
    const { user, shares } = await holderOf(api, vault);
    const body = { vault_id: vault.vault_id, user_address: user.address, shares: String(shares / 3n) };
    const quote = await api.withdrawQuote(body);
    expect(quote.options[0]).toMatchObject({ mode: "instant", reasons: [] });
    await withdrawAndCheck(api, { vault, user, body, style: "approval" });
  });
});

test("a token with a fee on transfers costs more than the usual slippage, and is paid within a larger one", async () => {
  const vault = vaultNamed("Toll FEE");
  const { user } = await holderOf(api, vault);
  const body = { vault_id: vault.vault_id, user_address: user.address, shares: "all" } as const;
  expect(await api.withdrawRefusal(body)).toMatchObject({ status: 400, code: "price_unsafe" });
  const { built, received } = await withdrawAndCheck(api, { vault, user, body: { ...body, slippage: 0.03 } });
  expect(received).toBeGreaterThanOrEqual(BigInt(built.estimate.min_assets ?? "0"));
});

test("a vault of wrapped native money pays native money", async () => {
  const vault = vaultsFor("honest").find(({ asset_symbol: symbol }) => symbol === "WETH");
  if (vault === undefined) throw new Error("no vault of WETH");
  const { user } = await holderOf(api, vault);
  const body = { vault_id: vault.vault_id, user_address: user.address, shares: "all", to_token: zeroAddress };
  await withdrawAndCheck(api, { vault, user, body });
});

test("an account without shares is told so, whatever it asks for", async () => {
  const [vault] = vaults;
  if (vault === undefined) throw new Error("no vault");
  const user = await newUser(chainOf(vault.chain_id), {});
  for (const shares of ["all", "1000000"]) {
    const body = { vault_id: vault.vault_id, user_address: user.address, shares };
    expect(await api.withdrawRefusal(body)).toMatchObject({ code: "nothing_to_withdraw" });
    expect(await api.withdrawRefusal(body, "/v1/withdraw/quote")).toMatchObject({
      code: "nothing_to_withdraw",
    });
  }
});
