import { numberToHex } from "viem";
import { expect, test } from "vitest";
import type { DepositHint } from "../../../src/db/queries/deposit-hint-queries.ts";
import { vaultCandidates } from "../../../src/tracking/deposits/deposit-transaction-hints.ts";
import { NOW, row } from "../../support/deposits/fixtures.ts";

/** So many hints on the vault's chain, the oldest first. */
const hintsOf = (count: number): DepositHint[] =>
  Array.from({ length: count }, (_, number) => ({
    ...{ trackingId: row.trackingId, chainId: row.vaultChainId, txHash: numberToHex(number, { size: 32 }) },
    ...{ origin: "logs", notedAt: new Date(NOW + number), droppedAt: null },
  }));
const numbersAt = (count: number, now: number): number[] =>
  vaultCandidates(row, hintsOf(count), now).map(Number);

test("vaultCandidates() returns up to twelve hints, the oldest first", () => {
  expect(numbersAt(0, NOW)).toEqual([]);
  expect(numbersAt(12, NOW)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});

test.each([1, 15, 16, 60, 64])(
  "vaultCandidates() of many hints returns each within some checks, every %i s",
  (pause) => {
    for (let count = 13; count <= 64; count += 1) {
      const seen = new Set<number>();
      for (let check = 0; check < 100; check += 1) {
        const numbers = numbersAt(count, NOW + check * pause * 1_000);
        expect(numbers).toHaveLength(12);
        expect(numbers.slice(-6)).toEqual([6, 5, 4, 3, 2, 1].map((back) => count - back));
        for (const number of numbers) seen.add(number);
      }
      expect(seen.size).toBe(count);
    }
  },
);
