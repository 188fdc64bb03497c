import { type Hex, slice, toHex } from "viem";
import { describe, expect, test } from "vitest";
import { runQuery } from "../../../src/chains/aggregator/aggregate-reads.ts";
import { centrifuge } from "../../../src/vaults/families/centrifuge/centrifuge-family.ts";
import { lagoon } from "../../../src/vaults/families/lagoon/lagoon-family.ts";
import type { Vault } from "../../../src/vaults/vault.ts";
import { type ContractAnswer, contractsClient } from "../../support/chains/multicall.ts";
import { NOW, USER, vault } from "../../support/deposits/fixtures.ts";

/** convertToAssets(uint256) */
const CONVERT = "0x07a2d13a";
const families = [
  { name: "lagoon", adapter: lagoon, params: {}, most: 2n ** 255n },
  // Its amounts are uint128.
  { name: "centrifuge", adapter: centrifuge, params: { deposit: "async" }, most: 2n ** 128n - 1n },
] as const;

/** Units of the asset for so many shares, times 10^12. */
type Price = { units: bigint; per: bigint };

/** A contract that converts by an exact price, rounding down, and shares beyond `most` not at all. */
const converting =
  ({ units, per }: Price, most: bigint) =>
  ({ data }: { data: Hex }): ContractAnswer => {
    if (!data.startsWith(CONVERT)) return { ok: false, data: "0x" };
    const shares = BigInt(slice(data, 4));
    if (shares > most) return { ok: false, data: "0x" };
    return { ok: true, data: toHex((shares * units) / (per * 10n ** 12n), { size: 32 }) };
  };

describe.each(families)("$name", ({ adapter, params, most }) => {
  async function priced(of: { assetDecimals: number; shareDecimals: number; price: Price; most?: bigint }) {
    const asset = { ...vault.asset, decimals: of.assetDecimals };
    const row: Vault = { ...vault, params, asset, shareDecimals: of.shareDecimals };
    const client = contractsClient(converting(of.price, of.most ?? most));
    const request = { token: asset, amount: 1n, caller: USER, receiver: USER, now: NOW };
    const [state, terms] = await Promise.all([
      runQuery(client, adapter.state(row, NOW)),
      runQuery(client, adapter.terms(row, request)),
    ]);
    return { shown: state.value.sharePrice, price: terms.value.price };
  }

  const decimals = [
    [18, 18],
    [8, 18],
    [6, 18],
    [0, 18],
    [6, 6],
    // A vault with an offset whose decimals() leaves it out, and one that says it.
    [6, 12],
    [18, 24],
  ] as const;
  // Whole assets per whole share, times 10^12: next to nothing, ordinary, and a thousand million.
  const prices = [1_073_100n, 1_073_100_000_007n, 987_654_321_012_345_678_901n];
  const cases = decimals.flatMap(([assetDecimals, shareDecimals]) =>
    prices.map((whole) => ({ assetDecimals, shareDecimals, whole })),
  );

  test.each(cases)(
    "shows a price to a millionth: $assetDecimals decimals, $shareDecimals of shares, $whole",
    async (of) => {
      const { assetDecimals, shareDecimals, whole } = of;
      const price = { units: whole * 10n ** BigInt(assetDecimals), per: 10n ** BigInt(shareDecimals) };
      const told = await priced({ assetDecimals, shareDecimals, price });
      const exact = whole * 10n ** 6n;
      const shown = told.shown ?? 0n;
      expect(shown).toBeLessThanOrEqual(exact);
      expect((exact - shown) * 1_000_000n).toBeLessThanOrEqual(exact);
      const { assets, shares } = told.price ?? { assets: 0n, shares: 1n };
      const worth = (assets * price.per * 10n ** 18n) / (shares * 10n ** BigInt(assetDecimals));
      expect(worth).toBe(shown);
    },
  );

  test("uses the smaller price sample when the vault cannot convert the larger one", async () => {
    const price = { units: 10_731n * 10n ** 8n, per: 10n ** 18n };
    const few = await priced({ assetDecimals: 6, shareDecimals: 18, price, most: 10n ** 18n });
    expect(few.price).toEqual({ assets: 1n, shares: 10n ** 18n });
    const many = await priced({ assetDecimals: 6, shareDecimals: 18, price });
    expect(many.price).toEqual({ assets: 1_073_100n * 10n ** 6n, shares: 10n ** 30n });
  });

  test("has no price when conversions fail", async () => {
    const price = { units: 1n, per: 1n };
    const told = await priced({ assetDecimals: 6, shareDecimals: 18, price, most: 0n });
    expect(told).toEqual({ shown: null, price: null });
  });
});
