import { expect, test } from "vitest";
import { getActions } from "../../../src/actions/get-available-actions.ts";
import { RequestActionInput } from "../../../src/schemas/withdraw-build-schema.ts";
import { buildRequestAction } from "../../../src/withdrawals/requests/build-request-action.ts";
import { USER, VAULT } from "../../support/deposits/fixtures.ts";
import { balanceKey } from "../../support/deposits/simulated-chain.ts";
import { vedaDelayed } from "../../support/withdrawals/veda-exit-answers.ts";
import { createWithdrawalFixture, storedOf } from "../../support/withdrawals/withdrawing.ts";

/** Time of the chain's block, in seconds. */
const HEAD = 1_700_000_000;
/** Shares of the request of `vedaDelayed`. */
const DELAYED = 10n ** 18n;

test.each<[string, bigint, string]>([
  ["half of the shares", DELAYED / 2n, "price_unsafe"],
  ["a single unit", 1n, "price_unsafe"],
  ["all shares", DELAYED, "none"],
])(
  "compares a cancellation with the whole request, all of which can be claimed: %s",
  async (_name, returned, refusal) => {
    const { vault: delayed, ...world } = vedaDelayed({ maturity: HEAD - 60 });
    const { ctx } = await createWithdrawalFixture({
      ...{ ...world, vaults: [storedOf(delayed)] },
      effects: () => ({ rises: { [balanceKey(VAULT, USER)]: returned } }),
    });
    const { vaultId } = delayed;
    const input = RequestActionInput.parse({ vault_id: vaultId, user_address: USER, request_id: "0" });
    const code = await buildRequestAction(ctx, { input, action: "cancel" }).then(
      () => "none",
      (error: { code: string }) => error.code,
    );
    expect(code).toBe(refusal);
    // The actions give the same code.
    expect((await getActions(ctx, { user: USER, vaultId })).cancel).toMatchObject(
      refusal === "none" ? { allowed: true, max: DELAYED.toString() } : { allowed: false, code: refusal },
    );
  },
);
