import type { Hex } from "viem";
import { expect, test } from "vitest";
import { pgCode } from "../../../src/db/database-client.ts";
import { updateDeposit } from "../../../src/db/queries/deposit-queries.ts";
import { deposits } from "../../../src/db/tables/deposit-tables.ts";
import { onRealPostgres } from "../../support/db/on-real-postgres.ts";
import { row } from "../../support/deposits/fixtures.ts";

const TWINS = 16;
const ROUNDS = 40;

const twin = (round: number, number: number) => ({
  ...row,
  trackingId: `trk_${round}_${number}`,
  ref: `0x${round}_${number}`,
  sourceDataHash: `0x${round}`,
});

test("a batch is the source of deposits with equal calldata into several vaults, and of one into each", async () => {
  await onRealPostgres(async (db) => {
    const hash: Hex = `0x${"ab".repeat(32)}`;
    const into = (vault: string, number: number) => ({
      ...twin(1_000, number),
      ...{ vaultAddress: vault, shareToken: vault, sourceTo: vault },
    });
    const [first, second] = [`0x${"a1".repeat(20)}`, `0x${"b2".repeat(20)}`];
    const rows = [into(first, 1), into(second, 2), into(second, 3)];
    await db.run((sql) => sql.insert(deposits).values(rows));
    const proven = { sourceTxHash: hash, sourceProven: true, depositTxHash: hash, depositProven: true };
    const bound: boolean[] = [];
    for (const { trackingId } of rows) {
      const change = { ...proven, state: "completed" } as const;
      bound.push((await updateDeposit(db, { trackingId, from: "built", change })) !== null);
    }
    expect(bound).toEqual([true, true, false]);
    // Of two vaults with one share token, a single transfer of shares may have come from either.
    const sibling = { ...into(`0x${"c3".repeat(20)}`, 4), shareToken: second };
    await db.run((sql) => sql.insert(deposits).values(sibling));
    const change = { ...proven, state: "completed" } as const;
    const again = updateDeposit(db, { trackingId: sibling.trackingId, from: "built", change });
    await expect(again).rejects.toSatisfy((error) => pgCode(error) === "23505");
  });
});

test("a bundle is the source of the equal deposits of two users, and the proof of the shares of both", async () => {
  await onRealPostgres(async (db) => {
    const hash: Hex = `0x${"cd".repeat(32)}`;
    const of = (number: number) => ({
      ...twin(2_000, number),
      userAddress: `0x${String(number % 2).repeat(40)}`,
    });
    const rows = [of(1), of(2), of(3)];
    await db.run((sql) => sql.insert(deposits).values(rows));
    const proven = { sourceTxHash: hash, sourceProven: true, depositTxHash: hash, depositProven: true };
    const bound: boolean[] = [];
    for (const { trackingId } of rows) {
      const change = { ...proven, state: "completed" } as const;
      bound.push((await updateDeposit(db, { trackingId, from: "built", change })) !== null);
    }
    expect(bound).toEqual([true, true, false]);
  });
});

test(`of ${TWINS} equal deposits, one is bound to a transaction when all writers come at once`, async () => {
  await onRealPostgres(async (db) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const twins = Array.from({ length: TWINS }, (_, number) => twin(round, number));
      await db.run((sql) => sql.insert(deposits).values(twins));
      const hash: Hex = `0x${round.toString(16).padStart(64, "0")}`;
      const change = { state: "bridging", sourceTxHash: hash, sourceProven: true } as const;
      const bound = await Promise.all(
        twins.map(({ trackingId }) => updateDeposit(db, { trackingId, from: "built", change })),
      );
      expect(bound.filter((one) => one !== null)).toHaveLength(1);
    }
  });
});
