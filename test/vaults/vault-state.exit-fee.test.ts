import { concatHex, type Hex, numberToHex, toFunctionSelector } from "viem";
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
