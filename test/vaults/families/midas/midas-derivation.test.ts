import type { Address } from "viem";
import { expect, test } from "vitest";
import { midasDeriver } from "../../../../src/vaults/families/midas/midas-derivation.ts";
import { unreviewedSubject } from "../../../../src/vaults/vault-deriver.ts";
import { OTHER, USDC, VAULT, WETH } from "../../../support/deposits/fixtures.ts";
import { answer, Revert, reasonData } from "../../../support/vaults/answer.ts";

/** The asset of a vault that takes WETH at the price of a feed, and USDC at a fixed one, by what its entry names. */
function assetOf(of: { asset: Address | null; tokens: readonly Address[] }): Address | null {
  const subject = { ...unreviewedSubject({ chainId: 1, address: VAULT }), ...of };
  const derivation = answer(midasDeriver.derive(subject), {
    ...{ mToken: OTHER, feed: OTHER, payments: [WETH, USDC], greenlist: false, first: 0n },
    ...{ named: new Revert(reasonData("paused")), plain: new Revert("0x"), redeems: new Revert("0x") },
    ...{ name: "mToken", decimals: 18, supply: 1n, price: 10n ** 18n, symbol: "TOKEN" },
    [`payments/${WETH}/price/config`]: [OTHER, 0n, 0n, false],
    [`payments/${USDC}/price/config`]: [OTHER, 0n, 0n, true],
  });
  return derivation.ok ? derivation.vault.asset.address : null;
}

test("the asset is the one that the entry names, otherwise one with a fixed price, whatever else is named", () => {
  expect(assetOf({ asset: WETH, tokens: [WETH, USDC] })).toBe(WETH);
  expect(assetOf({ asset: null, tokens: [] })).toBe(USDC);
  expect(assetOf({ asset: null, tokens: [WETH] })).toBe(USDC);
  expect(assetOf({ asset: OTHER, tokens: [OTHER] })).toBe(USDC);
});
