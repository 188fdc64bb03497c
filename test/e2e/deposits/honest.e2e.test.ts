import { zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { Api } from "../../support/e2e/api.ts";
import { chainOf, newUser, tokenOn, vaultsFor } from "../../support/e2e/chain.ts";
import { amounts, bodyFor, depositAndCheck } from "../../support/e2e/deposit.ts";

const api = new Api();
const honest = vaultsFor("honest");
const NATIVE_ALIAS = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE";

test("vaults: the stack has honest vaults on both chains", () => {
  expect(honest.filter((vault) => vault.chain_id === 31337)).toHaveLength(9);
  expect(honest.filter((vault) => vault.chain_id === 31338)).toHaveLength(5);
});

describe.each(honest)("$chain_id: $name", (vault) => {
  const chain = chainOf(vault.chain_id);
  const amount = amounts[vault.asset_symbol];

  test.each(["calls", "approval"] as const)("deposits by %s", async (style) => {
    const user = await newUser(chain, { [vault.asset_symbol]: amount });
    const body = bodyFor(vault, { user: user.address });
    const { built } = await depositAndCheck(api, { vault, user, style, body });
    expect(built.transaction_request.to).toBe(chain.info.contracts.deposit_router);
    expect(built.approval).toEqual({
      token_address: tokenOn(chain, vault.asset_symbol),
      spender_address: chain.info.contracts.deposit_router,
      amount: String(amount),
    });
    expect(built.calls).toHaveLength(2);
    expect(built.simulation).toMatchObject({ balance_sufficient: true, allowance_sufficient: false });
  });

  test("accepts a second deposit and a deposit of the smallest amount", async () => {
    const small = amount / 1_000_000n;
    const user = await newUser(chain, { [vault.asset_symbol]: amount + small });
    const body = bodyFor(vault, { user: user.address });
    await depositAndCheck(api, { vault, user, style: "calls", body });
    const again = { ...body, from_amount: String(small) };
    await depositAndCheck(api, { vault, user, style: "calls", body: again });
  });
});

describe("native money", () => {
  test("is listed as accepted by wrapped-native vaults only", async () => {
    const listed = (await api.vaults("?limit=500")).filter(({ accepted_assets }) =>
      accepted_assets.some(({ address }) => address === zeroAddress),
    );
    expect(listed.every(({ asset }) => asset.symbol === "WETH")).toBe(true);
    const ids = new Set(listed.map(({ vault_id }) => vault_id));
    expect(
      honest.filter(({ asset_symbol }) => asset_symbol === "WETH").every((v) => ids.has(v.vault_id)),
    ).toBe(true);
  });

  const wrapped = honest.filter(({ asset_symbol }) => asset_symbol === "WETH");
  describe.each(wrapped)("native money into $chain_id: $name", (vault) => {
    const chain = chainOf(vault.chain_id);

    test.each([
      ["the zero address", zeroAddress, "calls"],
      ["the 0xEeee alias", NATIVE_ALIAS, "calls"],
      ["the alias in lower case", NATIVE_ALIAS.toLowerCase(), "approval"],
    ] as const)("as %s", async (_name, token, style) => {
      const user = await newUser(chain);
      const body = { ...bodyFor(vault, { user: user.address }), from_token: token };
      const { built } = await depositAndCheck(api, { vault, user, style, body });
      expect(built.approval).toBe(null);
      expect(built.calls).toHaveLength(1);
      expect(built.transaction_request.value).toBe(body.from_amount);
      expect(built.simulation.allowance_sufficient).toBe(true);
    });
  });
});
