import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { safePart } from "../../../src/tracking/withdrawals/safe-payment-part.ts";

/** What of a payment for several requests one may send on whose own part is unknown. */
const row = (shares: string | null, estimatedAssets: string | null = null) => ({ shares, estimatedAssets });
const open = (shares: string | null) => ({ row: { shares }, assets: null });

describe("safePart()", () => {
  test.each([
    ["is all that is left without others", row("100"), 90n, [], 90n],
    ["is divided by shares, rounded down", row("100"), 100n, [open("50")], 66n],
    ["leaves others what they have", row("100"), 100n, [{ row: { shares: "50" }, assets: 70n }], 30n],
    ["is divided equally if shares are unknown", row("100"), 101n, [open(null)], 50n],
    ["is at most what was expected", row("100", "40"), 90n, [], 40n],
    ["is null if nothing is left", row("100"), 70n, [{ row: { shares: "50" }, assets: 70n }], null],
    ["is null if it rounds to nothing", row("1"), 10n, [open("100")], null],
  ])("%s", (_what, own, paid, sharers, part) => {
    expect(safePart(own, { paid, sharers })).toBe(part);
  });

  test("gives all of them together at most the payment, in any order of sending", () => {
    const shares = fc.array(fc.option(fc.bigInt(1n, 10n ** 24n)), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 12n), shares, fc.nat(), (paid, all, sent) => {
        const rows = all.map((one) => row(one?.toString() ?? null));
        const known = rows.map((): bigint | null => null);
        for (const [index, own] of rows.entries()) {
          const sharers = rows.map((other, at) => ({ row: other, assets: known[at] ?? null }));
          const part = safePart(own, { paid, sharers: sharers.filter((_, at) => at !== index) }) ?? 0n;
          // Some have sent theirs before the next one asks.
          known[index] = index <= sent % 7 ? part : null;
          const together = rows.reduce((sum, other, at) => {
            const rest = sharers.map((one, place) => ({ ...one, assets: known[place] ?? null }));
            const others = rest.filter((_, place) => place !== at);
            return sum + (known[at] ?? safePart(other, { paid, sharers: others }) ?? 0n);
          }, 0n);
          expect(together).toBeLessThanOrEqual(paid);
        }
      }),
    );
  });
});
