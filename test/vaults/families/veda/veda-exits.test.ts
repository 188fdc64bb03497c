import { describe, expect, test } from "vitest";
import { vedaExits } from "../../../../src/vaults/families/veda/veda-exits.ts";
import type { Vault } from "../../../../src/vaults/vault.ts";
import { NOW, USDC, USER, vault } from "../../../support/deposits/fixtures.ts";
import { answer } from "../../../support/vaults/answer.ts";

const ACCOUNTANT = "0x4444444444444444444444444444444444444444";
const own: Vault = {
  ...vault,
  ...{ adapter: "veda", type: "veda", pricer: ACCOUNTANT, shareDecimals: 6 },
  params: { teller: "d", teller_withdraw: "public" },
};
const SHARES = 80_000_001n;

/** Conditions of a withdrawal of shares at 1.25 USDC from a vault that holds this much USDC. */
const termsOf = (idle: bigint | undefined) =>
  answer(
    vedaExits.terms(own, {
      ...{ mode: "instant", token: own.asset, shares: SHARES, owner: USER, caller: USER, receiver: USER },
      now: NOW,
    }),
    {
      vault: own.shareToken,
      accountant: ACCOUNTANT,
      held: SHARES,
      rate: 1_250_000n,
      data: [true, true, 0],
      idle,
    },
  );

describe("Veda's teller", () => {
  test("limits nothing while the vault holds what the shares are worth, or if that is unknown", () => {
    const unlimited = { asset: USDC, grossAssets: 100_000_001n, maxShares: null, availableAssets: null };
    expect(termsOf(100_000_001n)).toMatchObject(unlimited);
    expect(termsOf(undefined)).toMatchObject(unlimited);
  });

  test("pays at most what the vault holds, for shares that are worth no more", () => {
    const terms = termsOf(50_000_000n);
    expect(terms).toMatchObject({ availableAssets: 50_000_000n, maxShares: 39_999_999n, refusal: null });
    expect(termsOf(0n)).toMatchObject({ availableAssets: 0n, maxShares: 0n });
  });
});
