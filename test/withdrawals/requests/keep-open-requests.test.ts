import { expect, test } from "vitest";
import { keepsOpen, paysFor } from "../../../src/withdrawals/requests/keep-open-requests.ts";

/** The shares of an account's open requests before and after a new request for 1,000 shares. */
const kept = (open: bigint, then: bigint) => keepsOpen({ open, then, shares: 1_000n });

test.each<[string, bigint, bigint, boolean]>([
  ["nothing was open", 0n, 0n, true],
  ["the new shares are added", 500n, 1_500n, true],
  ["more than them are added", 500n, 1_501n, true],
  ["a fee of 3% in shares is taken of them", 500n, 1_470n, true],
  ["a higher fee is taken of them", 500n, 1_469n, false],
  ["the open request is replaced", 500n, 1_000n, false],
  ["a tiny open request is replaced", 1n, 1_000n, false],
  ["the open request is replaced, less a fee", 500n, 970n, false],
  ["a tiny open request is replaced, less a fee", 1n, 970n, false],
  ["the new request is dropped", 500n, 500n, false],
  ["a larger one stays and the new request is dropped", 5_000n, 5_000n, false],
])("where %s", (_what, open, then, expected) => {
  expect(kept(open, then)).toBe(expected);
});

test.each<[string, bigint, bigint, bigint | null, boolean]>([
  ["all requested shares are paid", 1_000n, 5_000n, 5_000n, true],
  ["a part of them is paid", 400n, 2_000n, 5_000n, true],
  ["it is paid up to 3% less", 400n, 1_940n, 5_000n, true],
  ["it is paid even less", 400n, 1_939n, 5_000n, false],
  ["one unit is paid for the open request", 500n, 1n, 5_000n, false],
  ["nothing is paid for what is worth nothing", 500n, 0n, 0n, false],
  ["it is not known what should be paid", 1_000n, 5_000n, null, false],
])("where %s", (_what, missing, paid, preview, expected) => {
  expect(paysFor({ missing, paid, shares: 1_000n, preview })).toBe(expected);
});
