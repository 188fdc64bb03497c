import { expect, test } from "vitest";
import { toEstimate } from "../../src/deposits/describe-built-deposit.ts";
import type { PreparedDeposit } from "../../src/deposits/prepared-deposit.ts";
import { intentOf } from "../support/deposits/fixtures.ts";

/** Returns the estimate of a deposit in two steps: 200 are expected to arrive, 100 guaranteed. */
function estimate({ depositAmount, expectedShares }: { depositAmount: bigint; expectedShares: bigint }) {
  const intent = intentOf({ amount: 100n });
  const floors = { minIn: depositAmount, minShares: 1n, deadline: 0n };
  const deposit = { intent, depositAmount, expectedShares, floors };
  const routed = { route: { toAmount: 200n, toAmountMin: 100n }, end: { kind: "two_step", deposit } };
  return toEstimate({ kind: "routed", routed } as unknown as PreparedDeposit);
}

test("the shares of a second step grow with the amount that is expected to arrive", () => {
  expect(estimate({ depositAmount: 100n, expectedShares: 80n })).toEqual({
    ...{ to_amount: "200", to_amount_min: "100", deposit_amount: "200", deposit_amount_min: "100" },
    ...{ estimated_shares: "160", min_shares: "1" },
  });
});

test("a fee that the token charges on the transfer into the vault counts in every figure", () => {
  expect(estimate({ depositAmount: 90n, expectedShares: 72n })).toMatchObject({
    ...{ deposit_amount: "180", deposit_amount_min: "90", estimated_shares: "144" },
  });
});
