import { expect, test } from "vitest";
import { attemptDeadline } from "../../../src/deposits/build/route-search.ts";

const startedAt = 1_700_000_000_000;

test.each([
  ["the last provider has all the time there is", { after: 2_600, last: true }, 6_500],
  ["another provider keeps its time", { after: 2_600, last: false }, 5_100],
  ["nobody is waited for beyond what leaves time to simulate", { after: 5_400, last: false }, 6_500],
] as const)("attemptDeadline(): %s", (_rule, { after, last }, expected) => {
  expect(attemptDeadline({ startedAt, now: startedAt + after, last })).toBe(startedAt + expected);
});
