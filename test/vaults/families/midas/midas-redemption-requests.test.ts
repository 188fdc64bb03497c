import { expect, test } from "vitest";
import { midasPending } from "../../../../src/vaults/families/midas/midas-redemption-requests.ts";
import type { Vault } from "../../../../src/vaults/vault.ts";
import { USER, vault } from "../../../support/deposits/fixtures.ts";
import { answer } from "../../../support/vaults/answer.ts";

const WAD = 10n ** 18n;
const REDEMPTIONS = "0x2222222222222222222222222222222222222222";
const TOKEN = "0x3333333333333333333333333333333333333333";
const own: Vault = {
  ...vault,
  adapter: "midas",
  params: {
    ...{ redemption_vault: REDEMPTIONS, asset_rate: "stable" },
    redeem_tokens: `${TOKEN}/18/DAI`,
  },
};

/** Returns the user's request for 2 mTokens of 1.5 dollars each, paid in a token of 18 decimals, in this status. */
const pendingAt = (status: number) =>
  answer(midasPending(own, { user: USER, requestIds: ["7"] }), {
    "7": [USER, TOKEN, status, 2n * WAD, (3n * WAD) / 2n, WAD],
  });

test("an open request is worth its payment, a rejected one nothing", () => {
  expect(pendingAt(0)).toMatchObject([{ state: "pending", assets: 3n * WAD, value: 3_000_000n }]);
  expect(pendingAt(2)).toMatchObject([{ state: "rejected", assets: 0n, value: 0n }]);
});
