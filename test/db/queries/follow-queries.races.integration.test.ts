import { numberToHex } from "viem";
import { expect, test } from "vitest";
import type { Database } from "../../../src/db/database-client.ts";
import { replaceEvidence, selectEvidence } from "../../../src/db/queries/deposit-evidence-queries.ts";
import { extendDepositLeases, leaseDueDeposits } from "../../../src/db/queries/deposit-schedule-queries.ts";
import { applyFollowStep, type FollowStep, loadFollowState } from "../../../src/db/queries/follow-queries.ts";
import { deposits } from "../../../src/db/tables/deposit-tables.ts";
import { onRealPostgres } from "../../support/db/on-real-postgres.ts";
import { row } from "../../support/deposits/fixtures.ts";

const CHAIN_ID = 1;
const WRITERS = 12;
const ROUNDS = 24;
const block = (number: number) => ({ number, hash: numberToHex(number, { size: 32 }) });
const PROOF = block(90);

/** What a round on the chain stores. One in three writers each keeps the evidence, says that it is replaced, or both reorganised. */
function stepOf(round: number, writer: number): FollowStep {
  const kinds = [
    { kept: [PROOF], replaced: [], reorganised: false },
    { kept: [], replaced: [PROOF], reorganised: true },
    { kept: [], replaced: [], reorganised: true },
  ] as const;
  const head = { ...block(1_000 + round * 100 + writer), time: row.createdAt };
  return {
    ...{ chainId: CHAIN_ID, version: round === 0 ? null : round - 1, startBlock: 1, covered: [] },
    ...{ final: block(50), head, span: 10, at: row.createdAt },
    ...(kinds[writer % 3] ?? kinds[0]),
  };
}

/** The evidence as the kind of the round that has won leaves it; before, it was not compared. */
const LEFT = [
  { checked: true, blockHash: PROOF.hash },
  { checked: false, blockHash: "" },
  { checked: false, blockHash: PROOF.hash },
] as const;

async function evidenceOf(db: Database) {
  const [one] = await selectEvidence(db, [row.trackingId]);
  return { checked: one?.checked, blockHash: one?.blockHash };
}

test(`of ${WRITERS} rounds on one chain that end at once, one is stored, with its evidence alone`, async () => {
  await onRealPostgres(async (db) => {
    await db.run((sql) => sql.insert(deposits).values(row));
    const won = new Set<number>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const proof = { chainId: CHAIN_ID, txHash: "0x1", blockNumber: PROOF.number, blockHash: PROOF.hash };
      await replaceEvidence(db, { trackingId: row.trackingId, blocks: [] });
      await replaceEvidence(db, { trackingId: row.trackingId, blocks: [proof] });
      const order = Array.from({ length: WRITERS }, (_, index) => (index + round) % WRITERS);
      const applied = await Promise.all(order.map((writer) => applyFollowStep(db, stepOf(round, writer))));
      const winners = order.filter((_, index) => applied[index]);
      expect(winners).toHaveLength(1);
      const winner = winners[0] ?? -1;
      const { chain } = await loadFollowState(db, CHAIN_ID);
      expect(chain).toMatchObject({ version: round, headBlock: 1_000 + round * 100 + winner });
      expect(await evidenceOf(db)).toEqual(LEFT[winner % 3]);
      won.add(winner % 3);
    }
    expect(won.size).toBe(3);
  });
});

test("runs that come at once lease each due deposit once, and a message that arrives twice tracks it once", async () => {
  await onRealPostgres(async (db) => {
    const now = new Date(row.createdAt.getTime() + 60_000);
    const due = Array.from({ length: 200 }, (_, number) => ({
      ...{ ...row, trackingId: `trk_${number}`, ref: `0x${number}`, nextCheckAt: row.createdAt },
    }));
    await db.run((sql) => sql.insert(deposits).values(due));
    const leaseUntil = new Date(now.getTime() + 30_000);
    const runs = Array.from({ length: WRITERS }, () => leaseDueDeposits(db, { now, leaseUntil, limit: 30 }));
    const leased = (await Promise.all(runs)).flat();
    expect(new Set(leased).size).toBe(leased.length);
    const left = await leaseDueDeposits(db, { now, leaseUntil, limit: 400 });
    expect([...leased, ...left].sort()).toEqual(due.map(({ trackingId }) => trackingId).sort());
    const twice = Array.from({ length: WRITERS }, (_, number) =>
      extendDepositLeases(db, {
        ...{ trackingIds: due.map(({ trackingId }) => trackingId), held: leaseUntil },
        leaseUntil: new Date(leaseUntil.getTime() + 1_000 + number),
      }),
    );
    const tracked = (await Promise.all(twice)).flat().map(({ trackingId }) => trackingId);
    expect(tracked.sort()).toEqual(due.map(({ trackingId }) => trackingId).sort());
  });
});
