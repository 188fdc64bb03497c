import { expect, test } from "vitest";
import type { WithdrawalRow } from "../../../src/db/queries/deposit-queries.ts";
import { previewWithdrawal } from "../../../src/tracking/withdrawals/withdrawal-transitions.ts";
import { testContext } from "../../support/context.ts";
import { withdrawalRow } from "../../support/withdrawals/withdrawal-row.ts";

/** Returns a row as a vault leaves it that reports its request as claimable and as pending this often, by turns. */
async function reportByTurns(turns: number): Promise<WithdrawalRow> {
  let row: WithdrawalRow = {
    ...withdrawalRow,
    state: "requested",
    history: [{ state: "requested", at: "first" }],
  };
  for (let turn = 1; turn <= turns; turn += 1) {
    const shows = turn % 2 === 1 ? "request_claimable" : "request_pending";
    const event = { kind: "chain", shows, confirmed: true } as const;
    const ctx = testContext({ nowMs: turn });
    row = await previewWithdrawal(ctx, { row, transitions: [{ event, change: {}, write: "on_change" }] });
  }
  return row;
}
const at = (turn: number) => new Date(turn).toISOString();

test("the history of a request that is reported in two states by turns stays short", async () => {
  const first = [
    { state: "requested", at: "first" },
    { state: "claimable", at: at(1) },
  ];
  expect((await reportByTurns(2)).history).toEqual([...first, { state: "requested", at: at(2) }]);
  expect((await reportByTurns(100)).history).toEqual([...first, { state: "requested", at: at(100) }]);
  expect((await reportByTurns(101)).history).toEqual([
    ...first,
    { state: "requested", at: at(100) },
    { state: "claimable", at: at(101) },
  ]);
});
