import { type Address, decodeFunctionData, type Hex, parseAbi, toHex } from "viem";
import { expect, test } from "vitest";
import { runQuery } from "../../../../src/chains/aggregator/aggregate-reads.ts";
import { midasExits } from "../../../../src/vaults/families/midas/midas-exits.ts";
import type { Vault } from "../../../../src/vaults/vault.ts";
import type { ExitTermsInput } from "../../../../src/vaults/vault-exits.ts";
import { contractsClient } from "../../../support/chains/multicall.ts";
import { OTHER, USDC, USER, VAULT } from "../../../support/deposits/fixtures.ts";
import { reasonData } from "../../../support/vaults/answer.ts";
import { familyVault } from "../../../support/withdrawals/fixtures.ts";

const ONE = 10n ** 18n;
const views = parseAbi([
  "function mToken() view returns (address)",
  "function tokensConfig(address) view returns (address, uint256, uint256, bool)",
  "function instantFee() view returns (uint256)",
  "function minAmount() view returns (uint256)",
  "function isFreeFromMinAmount(address) view returns (bool)",
  "function waivedFeeRestriction(address) view returns (bool)",
  "function balanceOf(address) view returns (uint256)",
  "function getDataInBase18() view returns (uint256)",
]);
const words = (...values: readonly bigint[]): Hex =>
  `0x${values.map((value) => toHex(value, { size: 32 }).slice(2)).join("")}`;

/**
 * Answers of a RedemptionVault that charges 1 %, and of the feeds. Only `USER` is exempt from fee and minimum. The vault
 * may still pay a million tokens.
 */
function answerOf(data: Hex): Hex {
  const { functionName, args } = decodeFunctionData({ abi: views, data });
  const exempt = BigInt(args?.[0] === USER);
  const answers: Readonly<Record<string, Hex>> = {
    mToken: words(BigInt(VAULT)),
    tokensConfig: words(BigInt(OTHER), 0n, 10n ** 24n, 1n),
    ...{ instantFee: words(100n), minAmount: words(5n * ONE), balanceOf: words(9n * ONE) },
    ...{ isFreeFromMinAmount: words(exempt), waivedFeeRestriction: words(exempt) },
    getDataInBase18: words(ONE),
  };
  return answers[functionName] ?? "0x";
}

async function termsFor(caller: Address | null) {
  const vault: Vault = familyVault("midas", {
    redemption_vault: OTHER.toLowerCase(),
    redeem_tokens: USDC.toLowerCase(),
  });
  const client = contractsClient(({ data }) => {
    try {
      return { ok: true, data: answerOf(data) };
    } catch {
      return { ok: false, data: "0x" };
    }
  });
  const request: ExitTermsInput = {
    ...{ mode: "instant", token: vault.asset, shares: ONE, owner: USER, caller, receiver: caller },
    now: 1_700_000_000_000,
  };
  return (await runQuery(client, midasExits.terms(vault, request))).value;
}

test("an account's exemption from fee and minimum counts in its own call, not in the Router's", async () => {
  expect(await termsFor(USER)).toMatchObject({
    ...{ previewAssets: 1_000_000n, grossAssets: 1_000_000n, minShares: 0n },
  });
  expect(await termsFor(null)).toMatchObject({
    ...{ previewAssets: 990_000n, grossAssets: 1_000_000n, minShares: 5n * ONE },
  });
});

test("what the RedemptionVault holds limits nothing, because it may take more from elsewhere", async () => {
  expect(await termsFor(USER)).toMatchObject({ payerAssets: 9n * ONE, availableAssets: 10n ** 12n });
});

test("what the vault may still pay out is limited before the fee, so that less of it reaches the account", async () => {
  expect(await termsFor(USER)).toMatchObject({ availableAssets: 10n ** 12n });
  expect(await termsFor(null)).toMatchObject({ availableAssets: 990_000_000_000n });
});

test.each([
  "MV: exceed limit",
  "MV: exceed allowance",
  "RVMT: balance < needed",
  "RVB: buidlToRedeem > balance",
  "RVA: withdrawn < needed",
  "RVA: insufficient aToken balance",
  "RVM: insufficient shares",
  "RVU: insufficient USTB balance",
])("the reason %s means that the vault is short of assets", (reason) => {
  expect(midasExits.explain?.(reasonData(reason))).toEqual({ code: "no_liquidity", text: reason });
});
