import type { Hex } from "viem";
import { expect, test } from "vitest";
import type { DepositRow } from "../../../src/db/queries/deposit-queries.ts";
import { adoptContinuation } from "../../../src/db/queries/deposit-schedule-queries.ts";
import { deposits } from "../../../src/db/tables/deposit-tables.ts";
import { depositRouterAddress } from "../../../src/router/router-address.ts";
import { onRealPostgres } from "../../support/db/on-real-postgres.ts";
import { row, USDC } from "../../support/deposits/fixtures.ts";

const ROUNDS = 40;
const router = depositRouterAddress.toLowerCase();

test("of two continuations in one transaction, two parents that come at once adopt one each", async () => {
  await onRealPostgres(async (db) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const hash: Hex = `0x${round.toString(16).padStart(64, "0")}`;
      const of = (number: number) => ({
        ...{ trackingId: `trk_${round}_${number}`, ref: `0x${round}_${number}`, fromAmount: "60" },
      });
      const parents = [1, 2].map((number) => ({
        ...{ ...row, ...of(number), fromChainId: 10, provider: "across", twoStep: true },
        ...{ state: "awaiting_deposit", moveToken: USDC.toLowerCase(), deliveredAmount: "60", moveMin: "60" },
      }));
      const children = [3, 4].map((number) => ({
        ...{ ...row, ...of(number), sourceTo: row.vaultAddress, state: "completed" },
        ...{ sourceTxHash: hash, sourceProven: true, depositTxHash: hash, depositProven: number === 3 },
      }));
      await db.run((sql) => sql.insert(deposits).values([...parents, ...children] as DepositRow[]));
      const adopted = await Promise.all(
        parents.map((parent) => adoptContinuation(db, { parent: parent as DepositRow, hash, router })),
      );
      expect(adopted).toEqual([true, true]);
      const stored = (await db.run((sql) => sql.select().from(deposits))) as DepositRow[];
      const named = stored.filter(({ sourceTxHash }) => sourceTxHash === hash);
      expect(named.map(({ parentTrackingId }) => parentTrackingId).sort()).toEqual(
        parents.map(({ trackingId }) => trackingId),
      );
    }
  });
});
