import { expect, test } from "vitest";
import { abandonDeposit } from "../../src/deposits/deposit-records.ts";
import { type DepositState, depositStates } from "../../src/schemas/deposit-schema.ts";
import { testContext } from "../support/context.ts";
import { NOW, row, TRACKING_ID } from "../support/deposits/fixtures.ts";
import { oneRow } from "../support/deposits/one-row.ts";

/** What nobody has sent yet. */
const open: readonly DepositState[] = ["built", "expired"];

async function abandon(state: DepositState) {
  const { db, changes } = oneRow({ ...row, state });
  const outcome = abandonDeposit(testContext({ db, nowMs: NOW }), TRACKING_ID);
  return { outcome: await outcome.then(({ state: now }) => now).catch(({ code }) => code), changes };
}

test("abandonDeposit() abandons an unsent deposit and records it in the history", async () => {
  for (const state of open) {
    const history = [...row.history, { state: "abandoned", at: "2026-01-02T03:04:05.678Z" }];
    expect(await abandon(state)).toEqual({
      outcome: "abandoned",
      changes: [{ state: "abandoned", history }],
    });
  }
});

test("abandonDeposit() changes nothing the second time", async () => {
  expect(await abandon("abandoned")).toEqual({ outcome: "abandoned", changes: [] });
});

test.each(depositStates.filter((state) => ![...open, "abandoned"].includes(state)))(
  "abandonDeposit() refuses a deposit that is %s",
  async (state) => {
    expect(await abandon(state)).toEqual({ outcome: "deposit_state", changes: [] });
  },
);
