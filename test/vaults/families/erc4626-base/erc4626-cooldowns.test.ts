import { keccak256, parseAbi, toFunctionSelector, toHex } from "viem";
import { describe, expect, test } from "vitest";
import { getActions } from "../../../../src/actions/get-available-actions.ts";
import { erc4626 } from "../../../../src/vaults/families/erc4626-family.ts";
import { getWithdrawalQuote } from "../../../../src/withdrawals/get-withdrawal-quote.ts";
import { NOW, OTHER, USER, vault } from "../../../support/deposits/fixtures.ts";
import { answer } from "../../../support/vaults/answer.ts";
import { HELD } from "../../../support/withdrawals/fixtures.ts";
import {
  cooling,
  createWithdrawalFixture,
  inputOf,
  storedOf,
  waitingFunctions,
} from "../../../support/withdrawals/withdrawing.ts";

const SOFTLY = keccak256(toHex("SOFT_RESTRICTED_STAKER_ROLE"));
const FULLY = keccak256(toHex("FULL_RESTRICTED_STAKER_ROLE"));

describe("a holder with a restriction", () => {
  /** The code of a withdrawal in the actions and in a quote, by the role of the user and the cooldown. */
  async function codes(role: string | null, cooldownDuration: number) {
    const functions = [
      ...waitingFunctions,
      ...parseAbi(["function hasRole(bytes32, address) view returns (bool)"]),
    ];
    const { ctx } = await createWithdrawalFixture({
      ...{ vaults: [storedOf(cooling)], functions },
      answers: {
        ...{ cooldowns: [0n, 0n], cooldownDuration, maxRedeem: HELD },
        hasRole: (_vault: string, asked: string) => asked === role,
      },
      effects: () => ({ revert: toFunctionSelector("OperationNotAllowed()") }),
    });
    const { withdraw } = await getActions(ctx, { user: USER, vaultId: cooling.vaultId });
    const refused = await getWithdrawalQuote(ctx, inputOf({ vault_id: cooling.vaultId })).then(
      () => null,
      (error: { code: string }) => error.code,
    );
    return [withdraw.code, refused];
  }

  test.each([0, 604_800])("is not allowed to withdraw with a cooldown of %i seconds", async (seconds) => {
    expect(await codes(FULLY, seconds)).toEqual(["not_allowed", "not_allowed"]);
  });

  test("is not told so for a revert that no view explains", async () => {
    expect(await codes(SOFTLY, 0)).toEqual(["mode_unsupported", "mode_unsupported"]);
  });
});

test.each([
  ["may not deposit with the role that forbids it", { softly: true }, "not_allowed"],
  ["may not receive shares with the role that forbids it", { fully: true }, "not_allowed"],
  ["may deposit without a role", { softly: false, fully: false }, null],
  ["is not refused for roles that cannot be read", {}, null],
])("an account %s", (_name, roles, refusal) => {
  const request = { token: vault.asset, amount: 5n, caller: null, receiver: OTHER, now: NOW };
  const terms = erc4626.terms({ ...vault, adapter: "erc4626", params: { exit: "cooldown" } }, request);
  expect(answer(terms, roles).refusal).toBe(refusal);
});
