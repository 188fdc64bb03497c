import { describe, expect, test } from "vitest";
import { vaultStateQuery, vaultStatesQuery } from "../../src/vaults/vault-state.ts";
import { answer } from "../support/vaults/answer.ts";
import { familyVault } from "../support/withdrawals/fixtures.ts";

const NOW = 1_700_000_000_000;
const good = { ...familyVault("upshift"), vaultId: "31337:0xa1" };

describe("vaultStatesQuery()", () => {
  test("reads the other vaults of a chain although one cannot be read", () => {
    const decimals = { ...good, vaultId: "31337:0xb2", shareDecimals: 77 };
    const unknown = { ...good, vaultId: "31337:0xc3", adapter: "none" };
    const states = answer(vaultStatesQuery([decimals, unknown, good], NOW), { supply: 5n, price: 1n });
    expect(states).toMatchObject({ [decimals.vaultId]: null, [unknown.vaultId]: null });
    expect(states[good.vaultId]).toMatchObject({ totalSupply: 5n });
  });
});

describe("vaultStateQuery()", () => {
  const veda = familyVault("veda", { teller: "d" });
  const stateOf = (supply: bigint, rate: bigint) =>
    answer(vaultStateQuery(veda, NOW), { supply, rateAnyway: rate, support: [true, false, 0], cap: 1n });

  test("has null for an amount that is no uint256", () => {
    const most = 2n ** 256n - 1n;
    expect(stateOf(10n ** 18n, 5n).totalAssets).not.toBeNull();
    expect(stateOf(most, most)).toMatchObject({ totalAssets: null, totalSupply: most });
  });
});
