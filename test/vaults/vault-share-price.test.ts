import { describe, expect, test } from "vitest";
import { samplePrice, sampleShares } from "../../src/vaults/families/erc4626-base/erc4626-adapter.ts";
import type { Vault } from "../../src/vaults/vault.ts";
import { exitFeeOf, sharePriceOf } from "../../src/vaults/vault-share-price.ts";

/** A vault whose shares are worth `assets` for `supply`, converted as ERC-4626 does, rounded down. */
function price(of: { assets: bigint; supply: bigint; asset: number; share: number; fails?: boolean }) {
  const shares = sampleShares({ shareDecimals: of.share, asset: { decimals: of.asset } } as Vault);
  const convert = (given: bigint) => ({ ok: true, value: (given * of.assets) / of.supply }) as const;
  const fine = of.fails ? ({ ok: false, revert: null } as const) : convert(shares * 10n ** 12n);
  const sample = samplePrice(shares, { price: convert(shares), finePrice: fine });
  return sharePriceOf(sample, { asset: of.asset, share: of.share });
}

describe("share prices have 18 digits whatever the decimals of asset and share are", () => {
  // Total assets and shares of a vault of USDC: 1.000393810343944 for a share.
  const usdc = { assets: 1_000_393_810_343_944n, supply: 10n ** 15n };
  test.each([
    ["6 and 6 decimals", { ...usdc, asset: 6, share: 6 }, 1_000_393_810_343_944_000n],
    ["6 and 18 decimals", { ...usdc, supply: 10n ** 27n, asset: 6, share: 18 }, 1_000_393_810_343_944_000n],
    [
      "2 and 2 decimals",
      { assets: 1_234_567n, supply: 10n ** 6n, asset: 2, share: 2 },
      1_234_567_000_000_000_000n,
    ],
    ["8 and 18 decimals", { assets: 3n, supply: 10n ** 10n, asset: 8, share: 18 }, 3n * 10n ** 18n],
    ["18 and 18 decimals", { assets: 1n, supply: 3n, asset: 18, share: 18 }, 333_333_333_333_333_333n],
  ])("%s", (_name, vault, expected) => {
    expect(price(vault)).toBe(expected);
  });

  test("of a vault that cannot convert so many shares are cut to the asset's decimals", () => {
    expect(price({ ...usdc, asset: 6, share: 6, fails: true })).toBe(1_000_393_000_000_000_000n);
  });

  test("of a vault that values many shares otherwise are those of one share", () => {
    const sample = samplePrice(10n ** 6n, {
      price: { ok: true, value: 1_000_000n },
      finePrice: { ok: true, value: 5n * 10n ** 17n },
    });
    expect(sample).toEqual({ assets: 1_000_000n, shares: 10n ** 6n });
  });
});

test.each([
  [1_000_000n, 999_000n, 0.001],
  [1_000_000n, 999_999n, 0],
  [1_000_000n, 1_000_001n, 0],
  [3_000_000n, 2_000_000n, 0.333333334],
  [1_000_000n, 0n, 1],
  [9_999n, 9_000n, null],
  [null, 9_000n, null],
  [1_000_000n, null, null],
])("exitFeeOf() of %s worth and %s paid is %s", (gross, net, fee) => {
  expect(exitFeeOf({ gross, net })).toBe(fee);
});
