import { concatHex, type Hex, hexToBigInt, numberToHex, slice, toFunctionSelector } from "viem";
import { describe, expect, test } from "vitest";
import { runQuery } from "../../src/chains/aggregator/aggregate-reads.ts";
import { vaultStateQuery } from "../../src/vaults/vault-state.ts";
import { contractsClient } from "../support/chains/multicall.ts";
import { vault } from "../support/deposits/fixtures.ts";

const NOW = 1_700_000_000_000;
const words = (...values: bigint[]): Hex =>
  concatHex(values.map((value) => numberToHex(value, { size: 32 })));

/** Reads the state of a vault whose contracts answer the given functions and reject all others. */
async function exitFeeOfVault(
  adapter: string,
  answers: Record<string, Hex>,
  params: Record<string, string> = {},
) {
  const bySelector = new Map(
    Object.entries(answers).map(([signature, data]) => [toFunctionSelector(signature), data]),
  );
  const client = contractsClient(({ data }) => {
    const answer = bySelector.get(data.slice(0, 10) as Hex);
    return answer === undefined ? { ok: false, data: "0x" } : { ok: true, data: answer };
  });
  const query = vaultStateQuery({ ...vault, adapter, params }, NOW);
  return (await runQuery(client, query)).value.exitFee;
}

describe("vaultStateQuery() outside ERC-4626", () => {
  test("tells the fee of leaving at once by the family's own preview", async () => {
    const preview = "previewRedemption(uint256,bool)";
    expect(await exitFeeOfVault("upshift", { [preview]: words(1_000_000_000n, 995_000_000n) })).toBe(0.005);
    expect(await exitFeeOfVault("upshift", { [preview]: words(1_000_000_000n, 1_000_000_000n) })).toBe(0);
    expect(await exitFeeOfVault("upshift", {})).toBeNull();
  });

  test("adds the fees of the token and of redemptions at once", async () => {
    const redemption = "0x00000000000000000000000000000000000000f1";
    const token = vault.asset.address;
    const params = {
      ...{ deposit: "instant", recipient: "argument", asset_rate: "stable", redemption_vault: redemption },
      ...{ redeem_tokens: `${token.toLowerCase()}/${vault.asset.decimals}/${vault.asset.symbol}` },
      redeem_via: "router",
    };
    const answers = {
      "mToken()": words(BigInt(vault.shareToken)),
      "getPaymentTokens()": words(32n, 1n, BigInt(token)),
      "tokensConfig(address)": words(1n, 20n, 2n ** 256n - 1n, 1n),
      "instantFee()": words(50n),
      "getDataInBase18()": words(10n ** 18n),
    };
    expect(await exitFeeOfVault("midas", answers, params)).toBe(0.007);
    expect(
      await exitFeeOfVault("midas", { ...answers, "waivedFeeRestriction(address)": words(1n) }, params),
    ).toBe(0);
  });
});

/** Reads the exit fee of an ERC-4626 vault whose two conversions are given; a redemption of null reverts. */
async function exitFeeOf4626(of: {
  adapter: string;
  worth: (shares: bigint) => bigint;
  paid: (shares: bigint) => bigint | null;
}) {
  const client = contractsClient(({ data }) => {
    const [selector, amount] = [data.slice(0, 10), data.length === 74 ? hexToBigInt(slice(data, 4)) : 0n];
    const answers = { "convertToAssets(uint256)": of.worth, "previewRedeem(uint256)": of.paid };
    const answer = Object.entries(answers).find(([name]) => toFunctionSelector(name) === selector)?.[1];
    const value = answer?.(amount) ?? null;
    return value === null ? { ok: false, data: "0x" } : { ok: true, data: words(value) };
  });
  const query = vaultStateQuery({ ...vault, adapter: of.adapter, params: {} }, NOW);
  return (await runQuery(client, query)).value.exitFee;
}

describe("vaultStateQuery() of ERC-4626 vaults", () => {
  // A Spark Vault of USDC has 18 decimals, but as many units as USDC: one whole share is worth 10^12 USDC.
  const worth = (shares: bigint) => (shares * 1_034_567n) / 1_000_000n;
  const idle = 2_500_000_000n;
  const whileIdle = (value: bigint) => (value > idle ? null : value);

  test.each(["spark", "erc4626", "euler", "gearbox"])(
    "finds that %s charges no fee although one share is more than the vault can pay",
    async (adapter) => {
      expect(await exitFeeOf4626({ adapter, worth, paid: (shares) => whileIdle(worth(shares)) })).toBe(0);
    },
  );

  test("finds the fee of a vault that cannot pay one share", async () => {
    const paid = (shares: bigint) => whileIdle((worth(shares) * 995n) / 1_000n);
    expect(await exitFeeOf4626({ adapter: "erc4626", worth, paid })).toBeCloseTo(0.005, 5);
  });

  test("finds the fee of a vault whose share is worth next to nothing", async () => {
    const worth = (shares: bigint) => shares / 10n ** 15n;
    const paid = (shares: bigint) => (worth(shares) * 995n) / 1_000n;
    expect(await exitFeeOf4626({ adapter: "erc4626", worth, paid })).toBe(0.005);
  });

  test("knows no fee of a vault that pays nothing, or whose shares are worth nothing", async () => {
    expect(await exitFeeOf4626({ adapter: "spark", worth, paid: () => null })).toBeNull();
    expect(await exitFeeOf4626({ adapter: "spark", worth: () => 0n, paid: () => 0n })).toBeNull();
  });

  test("knows no fee where a sufficient sample would exceed a uint256", async () => {
    const selector = toFunctionSelector("convertToAssets(uint256)");
    const client = contractsClient(({ data }) =>
      data.startsWith(selector)
        ? { ok: true, data: words(hexToBigInt(slice(data, 4)) / 10n ** 77n) }
        : { ok: false, data: "0x" },
    );
    const { value } = await runQuery(client, vaultStateQuery({ ...vault, shareDecimals: 65 }, NOW));
    expect({ price: value.sharePrice, fee: value.exitFee }).toEqual({ price: 1n, fee: null });
  });
});
