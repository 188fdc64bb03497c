import { expect, test } from "vitest";
import { keepsOpen } from "../../../src/withdrawals/requests/keep-open-requests.ts";

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
