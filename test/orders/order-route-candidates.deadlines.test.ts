import { expect, test } from "vitest";
import { attemptDeadline } from "../../src/orders/order-route-candidates.ts";

const startedAt = 1_700_000_000_000;

test.each([
  ["the last provider gets all the remaining time", { after: 2_600, last: true }, 6_500],
  ["an earlier provider has its own timeout", { after: 2_600, last: false }, 5_100],
  ["no timeout ends after the time needed for simulation", { after: 5_400, last: false }, 6_500],
] as const)("attemptDeadline(): %s", (_rule, { after, last }, expected) => {
  expect(attemptDeadline({ startedAt, now: startedAt + after, last })).toBe(startedAt + expected);
});
