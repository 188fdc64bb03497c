import { expect, test } from "vitest";
import { attemptDeadline } from "../../src/orders/order-route-candidates.ts";

const startedAt = 1_700_000_000_000;

test.each([
  ["the last provider gets all the remaining time", { after: 2_600, last: true, spentMs: 0 }, 6_500],
  ["the last one also after its own time", { after: 5_400, last: true, spentMs: 2_500 }, 6_500],
  ["an earlier provider has its own timeout", { after: 1_600, last: false, spentMs: 0 }, 4_100],
  ["which all of its routes share", { after: 1_600, last: false, spentMs: 2_000 }, 2_100],
  ["it leaves time to start another one", { after: 2_990, last: false, spentMs: 0 }, 5_000],
  ["300 ms are worth a try", { after: 4_700, last: false, spentMs: 0 }, 5_000],
  ["less is not", { after: 4_701, last: false, spentMs: 0 }, null],
  ["nor is the rest of a provider's time", { after: 1_600, last: false, spentMs: 2_201 }, null],
] as const)("attemptDeadline(): %s", (_rule, { after, last, spentMs }, expected) => {
  const deadline = attemptDeadline({ startedAt, now: startedAt + after, last, spentMs });
  expect(deadline).toBe(expected === null ? null : startedAt + expected);
});
