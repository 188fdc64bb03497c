import type { Hex } from "viem";
import { expect, test } from "vitest";
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
